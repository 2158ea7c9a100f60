-- How an attempt or a task ends: the steps that claims, results, recovery, cancelling and dead letters share.

-- A processor with its version, as the registry's processorKey() writes it.
create function engine.processor_key(p_processor text, p_version integer) returns text language sql immutable as $$
  select p_processor || '@' || p_version
$$;

-- Locks what a transaction on one task may change, in the one order: its account, the results it never published,
-- the task. Answers the task as it is under the lock; a row of nulls when there is none.
create function engine.lock_task(p_task uuid) returns task language plpgsql as $$
declare
  v_task task;
begin
  perform engine.lock_account((select user_id from task where id = p_task));
  perform 1 from file where task_id = p_task and state <> 'ready' order by id for no key update;
  select * into v_task from task where id = p_task for no key update;
  return v_task;
end
$$;

-- Hands a task's unpublished results to cleaning. Their quota is given back once the objects are gone. A published file is
-- never touched.
create function engine.set_results_aside(p_task uuid, p_now timestamptz) returns void language sql as $$
  update file
     set state = 'deleting', next_try_at = p_now, try_count = 0, updated_at = p_now
   where task_id = p_task and state = 'uploading'
$$;

-- Ends a task that its caller has locked: it leaves its slot, its pin, its lease and its delivery behind.
-- Raises when the task isn't in one of the statuses that the caller takes it to be in: that would be a bug.
create function engine.end_task(
  p_task task, p_from text[], p_status text, p_error text, p_now timestamptz
) returns void language plpgsql as $$
begin
  update task
     set status = p_status, error_code = p_error, finished_at = p_now, updated_at = p_now,
         stage = null, progress_done = null, progress_total = null, progress_unit = null,
         lease_expires_at = null, recovery_try_count = 0, next_recovery_at = null, retry_at = null,
         delivery_token = null, next_delivery_at = null, waiting_since = null
   where id = p_task.id and status = any (p_from) and lease_version = p_task.lease_version;
  if not found then
    raise exception 'task % is % and cannot become %', p_task.id, p_task.status, p_status;
  end if;
  perform engine.set_results_aside(p_task.id, p_now);
  delete from task_input_pin where task_id = p_task.id;
end
$$;

-- Puts a running task that its caller has locked in line for another attempt, and takes the delivery of it in the same
-- write. The floor rises with it: no message from before this attempt can claim the task any more.
create function engine.await_retry(
  p_task task, p_error text, p_retry_at timestamptz, p_suspect boolean, p_token uuid, p_now timestamptz
) returns void language plpgsql as $$
begin
  update task
     set status = 'retry_wait', error_code = p_error, retry_at = p_retry_at, suspect = p_suspect, updated_at = p_now,
         stage = null, progress_done = null, progress_total = null, progress_unit = null, lease_expires_at = null,
         recovery_try_count = 0, next_recovery_at = null,
         dispatch_version = dispatch_version + 1, dispatch_floor = dispatch_version + 1, delivery_token = p_token,
         delivery_count = 0, next_delivery_at = p_now + engine.delivery_lease(), waiting_since = p_retry_at
   where id = p_task.id and status = 'running' and lease_version = p_task.lease_version;
  if not found then raise exception 'task % is % and cannot be tried again', p_task.id, p_task.status; end if;
  perform engine.set_results_aside(p_task.id, p_now);
end
$$;

-- Nobody knows whether an outside effect happened: deliveries stop, pin and hold stay, an operator decides.
create function engine.await_reconciliation(p_task task, p_error text, p_now timestamptz) returns void
language plpgsql as $$
begin
  update task
     set status = 'reconciling', error_code = p_error, lease_expires_at = null, recovery_try_count = 0, next_recovery_at = null,
         updated_at = p_now,
         dispatch_version = dispatch_version + 1, dispatch_floor = dispatch_version + 1
   where id = p_task.id and status = 'running' and lease_version = p_task.lease_version;
  if not found then raise exception 'task % is % and cannot await a decision', p_task.id, p_task.status; end if;
  perform engine.set_results_aside(p_task.id, p_now);
end
$$;

create function engine.close_attempt(
  p_task task, p_outcome text, p_error text, p_now timestamptz
) returns void language plpgsql as $$
begin
  update task_attempt
     set outcome = p_outcome, error_code = p_error, finished_at = p_now
   where task_id = p_task.id and lease_version = p_task.lease_version and outcome is null;
end
$$;

-- Whether this lease may still write: the task runs under this version and its time isn't over.
create function engine.holds_lease(p_task task, p_lease integer, p_now timestamptz) returns boolean
language sql immutable as $$
  select coalesce(p_task.status = 'running' and p_task.lease_version = p_lease and p_task.lease_expires_at > p_now, false)
$$;

-- An attempt ends without a result, at its own worker's word.
--   lease_lost  this lease may not write any more; nothing changed
--   canceled    a cancel was requested meanwhile: it wins over any error
--   retry_wait  will be tried again after p_retry_after; the caller delivers dispatch_version under p_token
--   reconciling an unclassified error of a processor that isn't safe to run again
--   failed      ended with p_error
create function engine.end_attempt(
  p_now timestamptz, p_task uuid, p_lease integer, p_error text, p_classified boolean, p_retry_after interval, p_token uuid
) returns table (outcome text, dispatch_version integer) language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
  v_now timestamptz := engine.clock(p_now);
begin
  if not engine.holds_lease(v_task, p_lease, v_now) then
    return query select 'lease_lost', null::integer;
  elsif v_task.cancel_requested_at is not null then
    perform engine.close_attempt(v_task, 'canceled', null, v_now);
    perform engine.end_task(v_task, '{running}', 'canceled', null, v_now);
    return query select 'canceled', null::integer;
  elsif not p_classified and not v_task.deterministic then
    perform engine.close_attempt(v_task, 'failed', p_error, v_now);
    perform engine.await_reconciliation(v_task, p_error, v_now);
    return query select 'reconciling', null::integer;
  elsif p_retry_after is not null and v_task.automatic_retry and v_task.attempt_count < v_task.max_attempts then
    perform engine.close_attempt(v_task, 'failed', p_error, v_now);
    perform engine.await_retry(v_task, p_error, v_now + p_retry_after, false, p_token, v_now);
    return query select 'retry_wait', v_task.dispatch_version + 1;
  else
    perform engine.close_attempt(v_task, 'failed', p_error, v_now);
    perform engine.end_task(v_task, '{running}', 'failed', p_error, v_now);
    return query select 'failed', null::integer;
  end if;
end
$$;

-- An attempt whose lease ran out. A reader that saw the lease end before its worker published changes nothing
-- ('untouched'): what counts is the row under the lock. Otherwise as end_attempt; the next attempt is a suspect.
create function engine.recover_lease(p_now timestamptz, p_task uuid, p_token uuid)
returns table (outcome text, dispatch_version integer) language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
  v_now timestamptz := engine.clock(p_now);
begin
  if v_task.id is null or v_task.status <> 'running' or v_task.lease_expires_at > v_now then
    return query select 'untouched', null::integer;
    return;
  end if;
  perform engine.close_attempt(v_task, 'lease_lost', null, v_now);
  if v_task.cancel_requested_at is not null then
    perform engine.end_task(v_task, '{running}', 'canceled', null, v_now);
    return query select 'canceled', null::integer;
  elsif not v_task.deterministic then
    perform engine.await_reconciliation(v_task, 'LEASE_EXPIRED', v_now);
    return query select 'reconciling', null::integer;
  elsif v_task.automatic_retry and v_task.attempt_count < v_task.max_attempts then
    perform engine.await_retry(v_task, 'LEASE_EXPIRED', v_now, true, p_token, v_now);
    return query select 'retry_wait', v_task.dispatch_version + 1;
  else
    perform engine.end_task(v_task, '{running}', 'failed', 'LEASE_EXPIRED', v_now);
    return query select 'failed', null::integer;
  end if;
end
$$;
