-- Publishing a result: reserved under the lease, written by the worker, made visible in one transaction.

-- Sets quota aside for this attempt's result and stores its row as 'uploading': in no list and not to be downloaded. It
-- takes the place of what earlier attempts of the task have reserved.
--   reserved      the caller writes the object under p_object_key, then publishes
--   lease_lost    this lease may not write any more; nothing changed
--   canceled      a cancel was requested: the caller ends the attempt
--   STORAGE_FULL  no room for it within the account's quota; nothing changed but the earlier reservations
create function engine.reserve_result(
  p_now timestamptz, p_task uuid, p_lease integer, p_file uuid, p_object_key text, p_name text, p_type text,
  p_size bigint, p_sha256 text, p_max_files integer, p_max_bytes bigint, p_abandoned_after interval
) returns text language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
  v_now timestamptz := engine.clock(p_now);
begin
  if not engine.holds_lease(v_task, p_lease, v_now) then return 'lease_lost'; end if;
  if v_task.cancel_requested_at is not null then return 'canceled'; end if;

  perform engine.replace_results(v_task, v_now);
  if not engine.take_quota(v_task.user_id, p_size, p_max_files, p_max_bytes) then return 'STORAGE_FULL'; end if;

  insert into file (
    id, user_id, origin, task_id, lease_version, name, content_type, byte_size, sha256, object_key, state,
    created_at, updated_at, next_try_at
  ) values (
    p_file, v_task.user_id, 'result', p_task, p_lease, p_name, p_type, p_size, p_sha256, p_object_key, 'uploading',
    v_now, v_now, v_now + p_abandoned_after
  );
  return 'reserved';
end
$$;

-- A new reservation takes the place of what the task has reserved before: those results count no more, although their
-- objects may still have to be removed. Otherwise a retry could find its account's storage full of its own attempts.
create function engine.replace_results(p_task task, p_now timestamptz) returns void language plpgsql as $$
declare
  v_files integer;
  v_bytes bigint;
begin
  perform engine.set_results_aside(p_task.id, p_now);
  with replaced as (
    update file set counted = false where task_id = p_task.id and state = 'deleting' and counted returning byte_size
  )
  select count(*), sum(byte_size) into v_files, v_bytes from replaced;
  perform engine.return_quota(p_task.user_id, v_files, v_bytes);
end
$$;

-- The one transaction that makes a result exist: file ready, task succeeded, attempt ended, pin released.
--   published   from now on the result is an ordinary file
--   canceled    a cancel request came first: the task ends canceled and the output is discarded
--   lease_lost  this lease may not write any more, or its reservation is gone; nothing changed
create function engine.publish_result(
  p_now timestamptz, p_task uuid, p_lease integer, p_file uuid, p_retention interval
) returns text language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
  v_now timestamptz := engine.clock(p_now);
  v_file file;
begin
  if not engine.holds_lease(v_task, p_lease, v_now) then return 'lease_lost'; end if;
  if v_task.cancel_requested_at is not null then
    perform engine.close_attempt(v_task, 'canceled', null, v_now);
    perform engine.end_task(v_task, '{running}', 'canceled', null, v_now);
    return 'canceled';
  end if;

  update file
     set state = 'ready', expires_at = v_now + p_retention, next_try_at = v_now + p_retention, updated_at = v_now
   where id = p_file and user_id = v_task.user_id and state = 'uploading' and task_id = p_task and lease_version = p_lease
  returning * into v_file;
  if v_file.id is null then return 'lease_lost'; end if;

  update task
     set status = 'succeeded', error_code = null, finished_at = v_now, updated_at = v_now,
         lease_expires_at = null, recovery_try_count = 0, next_recovery_at = null,
         stage = null, progress_done = null, progress_total = null, progress_unit = null,
         result_file_id = v_file.id, result_name = v_file.name, result_type = v_file.content_type,
         result_size = v_file.byte_size, result_sha256 = v_file.sha256
   where id = p_task and status = 'running' and lease_version = p_lease;
  if not found then raise exception 'task % is % and cannot succeed', p_task, v_task.status; end if;
  perform engine.close_attempt(v_task, 'succeeded', null, v_now);
  delete from task_input_pin where task_id = p_task;
  return 'published';
end
$$;

-- The safety net of maintenance: a result that was reserved by an attempt which doesn't run any more and never published.
create function engine.set_stray_results_aside(p_now timestamptz, p_task uuid) returns void language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
begin
  if v_task.status <> 'running' then
    perform engine.set_results_aside(p_task, engine.clock(p_now));
  end if;
end
$$;
