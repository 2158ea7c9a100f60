-- Deleting a file: the row is set aside first, then the object goes, then the row with its part of the quota.

-- At the owner's request. Submitting a task with this file locks the same row: whoever comes second sees the first.
--   deleting        set aside; the caller removes the object under object_key
--   FILE_IN_USE     the active task task_id needs it
--   FILE_NOT_FOUND  no such file of this account, or deleted before
create function engine.begin_file_deletion(p_now timestamptz, p_user uuid, p_file uuid)
returns table (outcome text, task_id uuid, object_key text) language plpgsql as $$
declare
  v_file file;
  v_task uuid;
begin
  select * into v_file from file f where f.id = p_file and f.user_id = p_user for update;
  if v_file.id is null or v_file.state <> 'ready' then
    return query select 'FILE_NOT_FOUND', null::uuid, null::text;
    return;
  end if;
  select p.task_id into v_task from task_input_pin p where p.file_id = p_file limit 1;
  if found then
    return query select 'FILE_IN_USE', v_task, null::text;
    return;
  end if;
  update file
     set state = 'deleting', next_try_at = engine.clock(p_now), updated_at = engine.clock(p_now),
         request_key = null, request_index = null
   where id = p_file and state = 'ready';
  return query select 'deleting', null::uuid, v_file.object_key;
end
$$;

-- The object is gone: the row goes too, and its quota is given back, once.
create function engine.finish_file_deletion(p_file uuid) returns void language plpgsql as $$
declare
  v_file file;
begin
  perform engine.lock_account((select user_id from file where id = p_file));
  delete from file where id = p_file and state = 'deleting' returning * into v_file;
  if v_file.counted then perform engine.return_quota(v_file.user_id, 1, v_file.byte_size); end if;
end
$$;
