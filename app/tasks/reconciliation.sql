-- An operator's decision about a task whose outcome nobody knows. Pin and slot are released with it; the reason is kept.
--   settled          ended as p_status: 'failed' (RECONCILED) or 'canceled'
--   NOT_RECONCILING  no such task, or it isn't waiting for a decision (any more); nothing changed
create function engine.settle_task(p_now timestamptz, p_task uuid, p_status text, p_reason text)
returns text language plpgsql as $$
declare
  v_task task := engine.lock_task(p_task);
begin
  if v_task.id is null or v_task.status <> 'reconciling' then return 'NOT_RECONCILING'; end if;
  update task set settlement_reason = p_reason where id = p_task and status = 'reconciling' and lease_version = v_task.lease_version;
  perform engine.end_task(
    v_task, '{reconciling}', p_status, case p_status when 'failed' then 'RECONCILED' end, engine.clock(p_now));
  return 'settled';
end
$$;
