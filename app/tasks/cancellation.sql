-- Cancelling, at the owner's request.
--   canceled   it was waiting and has ended; its pin is released
--   requested  it is running (or uncertain): the request stands, and the worker's next write ends it
--   unchanged  it had ended before
--   NOT_FOUND  no such task of this account
create function engine.cancel_task(p_now timestamptz, p_user uuid, p_task uuid) returns text language plpgsql as $$
declare
  v_task task;
  v_now timestamptz;
begin
  if not exists (select from task where id = p_task and user_id = p_user) then return 'NOT_FOUND'; end if;
  v_task := engine.lock_task(p_task);
  v_now := engine.clock(p_now);
  if v_task.status in ('pending', 'queued', 'retry_wait') then
    perform engine.end_task(v_task, '{pending,queued,retry_wait}', 'canceled', null, v_now);
    return 'canceled';
  elsif v_task.status in ('running', 'reconciling') then
    update task
       set cancel_requested_at = v_now, updated_at = v_now
     where id = p_task and status = v_task.status and lease_version = v_task.lease_version and cancel_requested_at is null;
    return 'requested';
  elsif v_task.id is null then
    return 'NOT_FOUND';
  else
    return 'unchanged';
  end if;
end
$$;
