-- How long a sender holds a delivery. Taken by the write that makes a task wait, or by maintenance.
create function engine.delivery_lease() returns interval language sql immutable as $$ select interval '30 seconds' $$;

-- A task that has waited too long for a claim: the queue is taken to be broken for it. 'untouched' when it was claimed
-- or ended meanwhile, or hasn't waited that long under the lock.
create function engine.exhaust_delivery(p_now timestamptz, p_task uuid, p_waiting_max interval) returns text
language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
  v_now timestamptz := engine.clock(p_now);
begin
  if v_task.waiting_since is null or v_task.waiting_since > v_now - p_waiting_max then return 'untouched'; end if;
  perform engine.end_task(v_task, '{pending,queued,retry_wait}', 'failed', 'DELIVERY_EXHAUSTED', v_now);
  return 'failed';
end
$$;
