-- A message that the queue gave up on: its receipt and its effect, in one transaction. A redelivery of the same message
-- changes nothing and answers the class that was recorded.
--
--   applied   the current delivery of a waiting task: it fails, its pin is released, deliveries stop
--   deferred  the current delivery of a running task: the lease stays and may still publish, but a later failure or
--             lease end no longer retries by itself
--   stale     an older delivery, or the task has ended: no effect
--   missing   well-formed, but there is no such task: the id is not kept
--   invalid   not our message (p_task is null)
create function engine.record_dead_letter(
  p_now timestamptz, p_receipt uuid, p_queue text, p_message text, p_task uuid, p_version integer, p_processors text[]
) returns text language plpgsql as $$
declare
  v_task task;
  v_now timestamptz;
  v_class text;
begin
  if p_task is not null then v_task := engine.lock_task(p_task); end if;
  v_now := engine.clock(p_now);

  v_class := case
    when p_task is null then 'invalid'
    when v_task.id is null then 'missing'
    when p_version = v_task.dispatch_version and v_task.next_delivery_at is not null then 'applied'
    when p_version = v_task.dispatch_version and v_task.status = 'running' then 'deferred'
    else 'stale'
  end;

  insert into task_dead_letter (id, queue_name, message_id, task_id, dispatch_version, class, received_at)
  values (
    p_receipt, p_queue, p_message, v_task.id, case when v_task.id is not null then p_version end, v_class, v_now
  )
  on conflict (queue_name, message_id) do nothing;
  if not found then
    return (select class from task_dead_letter where queue_name = p_queue and message_id = p_message);
  end if;

  if v_class = 'applied' then
    perform engine.end_task(
      v_task, '{pending,queued,retry_wait}', 'failed',
      case when engine.processor_key(v_task.processor, v_task.processor_version) = any (p_processors)
        then 'DELIVERY_EXHAUSTED' else 'PROCESSOR_UNAVAILABLE' end,
      v_now);
  elsif v_class = 'deferred' then
    update task set automatic_retry = false, updated_at = v_now
     where id = p_task and status = 'running' and lease_version = v_task.lease_version;
  end if;
  return v_class;
end
$$;
