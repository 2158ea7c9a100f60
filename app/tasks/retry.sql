-- What stands in the way of a manual retry of this task with this input (a row of nulls when it is gone); null when nothing
-- does. Decides the retry, under its locks, and whether a page offers one.
create function engine.retry_refusal(
  p_task task, p_input file, p_retryable text[], p_processors text[], p_max_active integer, p_now timestamptz
) returns text language sql stable as $$
  select case
    when p_task.status <> 'failed' or p_task.error_code <> all (p_retryable) then 'NOT_RETRYABLE'
    when p_task.attempt_count >= p_task.max_attempts then 'NOT_RETRYABLE'
    when engine.processor_key(p_task.processor, p_task.processor_version) <> all (p_processors) then 'NOT_RETRYABLE'
    when p_task.charge_state = 'refunded' then 'NOT_RETRYABLE'
    when p_input.id is null or p_input.state <> 'ready' then 'FILE_NOT_FOUND'
    when p_input.expires_at <= p_now then 'FILE_EXPIRED'
    when p_input.sha256 <> p_task.input_sha256 then 'INPUT_CHANGED'
    when (select count(*) from task t where t.user_id = p_task.user_id and t.finished_at is null) >= p_max_active
      then 'ACTIVE_LIMIT'
  end
$$;

-- A manual retry: a failed task begins again, with its own price and what is left of its own budget.
--
--   retried        pending again; the caller delivers dispatch_version under p_token
--   repeated       this retry was accepted before; nothing changed
--   NOT_FOUND      no such task of this account
--   p_refusal      what the caller has to object to, once it is known that this isn't a repeat
--   NOT_RETRYABLE  not failed, failed for good, budget spent, or a processor this Worker doesn't know
--   ACTIVE_LIMIT, FILE_NOT_FOUND, FILE_EXPIRED, INPUT_CHANGED  what a submission would check, checked again
create function engine.retry_task(
  p_now timestamptz, p_user uuid, p_task uuid, p_attempts integer, p_refusal text, p_retryable text[],
  p_processors text[], p_max_active integer, p_token uuid, p_finished_at timestamptz default null
) returns table (outcome text, dispatch_version integer) language plpgsql as $$
declare
  v_task task;
  v_file file;
  v_now timestamptz;
  v_refusal text;
begin
  -- Account, then the input, then the task: a deletion of the input waits for this, or this for it.
  perform engine.lock_account(p_user);
  perform 1 from file
    where id = (select t.input_file_id from task t where t.id = p_task and t.user_id = p_user) and user_id = p_user
    for no key update;
  select * into v_task from task where id = p_task and user_id = p_user for no key update;
  select * into v_file from file where id = v_task.input_file_id and user_id = p_user;
  v_now := engine.clock(p_now);

  v_refusal := case
    when v_task.id is null then 'NOT_FOUND'
    -- The form showed an earlier count or an earlier failure (a delivery that fails uses up no attempt), or the task is
    -- under way again: that retry was taken already.
    when p_attempts < v_task.attempt_count
      or (p_attempts = v_task.attempt_count
          and (v_task.finished_at is null or v_task.finished_at <> coalesce(p_finished_at, v_task.finished_at)))
      then 'repeated'
    when p_refusal is not null then p_refusal
    when p_attempts > v_task.attempt_count then 'NOT_RETRYABLE'
    else engine.retry_refusal(v_task, v_file, p_retryable, p_processors, p_max_active, v_now)
  end;
  if v_refusal is not null then
    return query select v_refusal, null::integer;
    return;
  end if;

  update task t
     set status = 'pending', error_code = null, stage = null, finished_at = null, cancel_requested_at = null,
         automatic_retry = true, suspect = false, updated_at = v_now,
         dispatch_version = t.dispatch_version + 1, dispatch_floor = t.dispatch_version + 1, delivery_token = p_token,
         delivery_count = 0, next_delivery_at = v_now + engine.delivery_lease(), waiting_since = v_now
   where t.id = p_task and t.status = 'failed' and t.attempt_count = p_attempts;
  insert into task_input_pin (task_id, file_id) values (p_task, v_file.id);
  return query select 'retried', v_task.dispatch_version + 1;
end
$$;
