-- Storing an upload: quota and row first, then the bytes, then the row becomes a file.

-- Sets quota aside and stores the row as 'uploading', or finds what this place of this form has stored before.
--   reserved          the caller writes the object under object_key and finishes; also for an upload that never finished,
--                     whose bytes were the same: it has its full time again
--   repeated          it is stored already
--   REQUEST_CONFLICT  this form has stored another file in this place
--   STORAGE_FULL      no room for it within the account's quota; nothing changed
--   UNAUTHENTICATED   the account is gone
create function engine.reserve_upload(
  p_now timestamptz, p_user uuid, p_file uuid, p_request_key uuid, p_request_index smallint, p_name text, p_type text,
  p_size bigint, p_sha256 text, p_object_key text, p_max_files integer, p_max_bytes bigint, p_abandoned_after interval
) returns table (outcome text, file_id uuid, object_key text) language plpgsql as $$
declare
  v_now timestamptz;
  v_file file;
begin
  if not engine.lock_account(p_user) then
    return query select 'UNAUTHENTICATED', null::uuid, null::text;
    return;
  end if;
  v_now := engine.clock(p_now);

  -- Locked, so that maintenance can't give up an unfinished upload between this look and the answer.
  select * into v_file from file f
   where f.user_id = p_user and f.request_key = p_request_key and f.request_index = p_request_index
     for no key update;
  if v_file.state = 'ready' and v_file.expires_at <= v_now then
    -- Gone for its owner already, so this form may store it anew.
    update file set request_key = null, request_index = null where id = v_file.id and state = 'ready';
  elsif v_file.id is not null then
    update file set next_try_at = v_now + p_abandoned_after
     where id = v_file.id and state = 'uploading' and sha256 = p_sha256 and name = p_name;
    return query select
      case when v_file.sha256 <> p_sha256 or v_file.name <> p_name then 'REQUEST_CONFLICT'
           when v_file.state = 'uploading' then 'reserved' else 'repeated' end,
      v_file.id, v_file.object_key;
    return;
  end if;

  if not engine.take_quota(p_user, p_size, p_max_files, p_max_bytes) then
    return query select 'STORAGE_FULL', null::uuid, null::text;
    return;
  end if;

  insert into file (
    id, user_id, request_key, request_index, name, content_type, byte_size, sha256, object_key, state,
    created_at, updated_at, next_try_at
  ) values (
    p_file, p_user, p_request_key, p_request_index, p_name, p_type, p_size, p_sha256, p_object_key, 'uploading',
    v_now, v_now, v_now + p_abandoned_after
  );
  return query select 'reserved', p_file, p_object_key;
end
$$;
