-- Submitting: one task for one request key, with its pin and its first delivery's lease, or nothing at all.
--
--   created           stored; the caller delivers dispatch_version 1 under p_token
--   repeated          this key and these inputs have their task already, whatever became of it
--   REQUEST_CONFLICT  this key was used with other inputs; task_id is that earlier task
--   p_refusal         what the caller has to object to (switched off, not configured): only after the key, so that a
--                     repeat of an accepted request is answered even then
--   ACTIVE_LIMIT, FILE_NOT_FOUND, FILE_EXPIRED, FILE_TYPE_UNSUPPORTED, QUOTE_CHANGED
create function engine.submit_task(
  p_now timestamptz, p_user uuid, p_task uuid, p_request_key uuid, p_fingerprint text, p_refusal text,
  p_file uuid, p_processor text, p_version integer, p_deterministic boolean, p_types text[], p_params jsonb,
  p_price integer, p_quoted integer, p_max_active integer, p_max_attempts integer, p_token uuid
) returns table (outcome text, task_id uuid) language plpgsql as $$
declare
  v_now timestamptz;
  v_file file;
begin
  return query select * from engine.find_request(p_user, p_request_key, p_fingerprint);
  if found then return; end if;

  if p_refusal is not null then
    return query select p_refusal, null::uuid;
    return;
  end if;

  if not engine.lock_account(p_user) then
    return query select 'UNAUTHENTICATED', null::uuid;
    return;
  end if;

  -- Two sends of one form get here one after the other: the second finds what the first has stored.
  return query select * from engine.find_request(p_user, p_request_key, p_fingerprint);
  if found then return; end if;

  if (select count(*) from task where user_id = p_user and finished_at is null) >= p_max_active then
    return query select 'ACTIVE_LIMIT', null::uuid;
    return;
  end if;

  -- Deleting the file locks the same row. Whoever comes second sees what the first has done.
  perform 1 from file where id = p_file and user_id = p_user for no key update;
  select * into v_file from file where id = p_file and user_id = p_user;
  v_now := engine.clock(p_now);
  if v_file.id is null or v_file.state <> 'ready' then
    return query select 'FILE_NOT_FOUND', null::uuid;
  elsif v_file.expires_at <= v_now then
    return query select 'FILE_EXPIRED', null::uuid;
  elsif v_file.content_type <> all (p_types) then
    return query select 'FILE_TYPE_UNSUPPORTED', null::uuid;
  elsif coalesce(p_quoted, 0) <> p_price then
    return query select 'QUOTE_CHANGED', null::uuid;
  else
    insert into task (
      id, user_id, request_key, fingerprint, processor, processor_version, deterministic, params,
      input_file_id, input_name, input_type, input_size, input_sha256,
      status, max_attempts, dispatch_version, dispatch_floor, delivery_token, next_delivery_at, waiting_since,
      created_at, updated_at
    ) values (
      p_task, p_user, p_request_key, p_fingerprint, p_processor, p_version, p_deterministic, p_params,
      v_file.id, v_file.name, v_file.content_type, v_file.byte_size, v_file.sha256,
      'pending', p_max_attempts, 1, 1, p_token, v_now + engine.delivery_lease(), v_now,
      v_now, v_now
    );
    insert into task_input_pin (task_id, file_id) values (p_task, v_file.id);
    return query select 'created', p_task;
  end if;
end
$$;

-- The task that this request key already has. No row: the key is new.
create function engine.find_request(p_user uuid, p_request_key uuid, p_fingerprint text)
returns table (outcome text, task_id uuid) language sql stable as $$
  select case when fingerprint = p_fingerprint then 'repeated' else 'REQUEST_CONFLICT' end, id
    from task
   where user_id = p_user and request_key = p_request_key
$$;
