import type { AppContext } from '../context.server'
import {
  DELIVERY_BATCH,
  DELIVERY_LEASE_MS,
  REDELIVERY_FIRST_MS,
  REDELIVERY_MAX_MS,
  WAITING_MAX_MS,
} from '../config/limits'
import { interval, timeOf } from '../db/values.server'
import { describeError } from '../log.server'

/**
 * Delivering: a lease of 30 seconds with a token is taken (with the write that makes the task wait, or here by
 * maintenance), the message is sent, and the delivery is recorded only by whoever still holds the token. A claim or a
 * cancel clears the token, so a late sender can never put a running or ended task back to `queued`.
 */
export interface Delivery {
  taskId: string
  dispatchVersion: number
  token: string
  /** How long the queue itself holds the message back. */
  delaySeconds?: number
}

/**
 * Sends the messages and records what became of it. Never throws: a send that fails, or one that can't be
 * recorded, leaves the tasks due again when their delivery leases end, and uses up no attempt. One statement, whatever the number.
 */
export async function sendDeliveries(ctx: AppContext, deliveries: Delivery[]): Promise<'sent' | 'failed'> {
  if (deliveries.length === 0) return 'sent'
  try {
    if (!ctx.queue) throw new Error('no queue is bound')
    const [first, ...more] = deliveries.map(({ taskId, dispatchVersion, delaySeconds }) => ({
      body: { taskId, dispatchVersion },
      delaySeconds,
    }))
    if (more.length === 0) await ctx.queue.send(first!.body, { delaySeconds: first!.delaySeconds })
    else await ctx.queue.sendBatch([first!, ...more])
  } catch (error) {
    ctx.log('delivery.send_failed', { tasks: deliveries.length, ...describeError(error) })
    await recorded(ctx, deliveries, recordSendFailures)
    return 'failed'
  }
  await recorded(ctx, deliveries, recordDeliveries)
  return 'sent'
}

/** What can't be recorded is due again when its lease ends: no reason to tell a person that their task wasn't stored. */
async function recorded(
  ctx: AppContext,
  deliveries: Delivery[],
  record: (ctx: AppContext, deliveries: Delivery[]) => Promise<void>,
): Promise<void> {
  try {
    await record(ctx, deliveries)
  } catch (error) {
    ctx.log('delivery.not_recorded', { tasks: deliveries.length, ...describeError(error) })
  }
}

/** `pending` becomes `queued`; the next delivery is due after 2, 4, 8 … at most 30 minutes. */
async function recordDeliveries(ctx: AppContext, deliveries: Delivery[]): Promise<void> {
  await ctx.db.$client`
    with sent as (select * from jsonb_to_recordset(${recordset(deliveries)}::jsonb) as s (id uuid, token uuid)),
         held as (
           select t.id from task t join sent s on t.id = s.id and t.delivery_token = s.token
            order by t.id for no key update of t
         )
    update task t
       set status = case when t.status = 'pending' then 'queued' else t.status end,
           queued_at = engine.now(${timeOf(ctx.clock)}), updated_at = engine.now(${timeOf(ctx.clock)}),
           delivery_token = null, delivery_count = t.delivery_count + 1,
           next_delivery_at = greatest(engine.now(${timeOf(ctx.clock)}), t.retry_at)
             + least(${interval(REDELIVERY_FIRST_MS)}::interval * power(2, least(t.delivery_count, 10)),
                     ${interval(REDELIVERY_MAX_MS)}::interval)
      from held h join sent s on s.id = h.id
     where t.id = h.id and t.delivery_token = s.token and t.status in ('pending', 'queued', 'retry_wait')`
}

async function recordSendFailures(ctx: AppContext, deliveries: Delivery[]): Promise<void> {
  await ctx.db.$client`
    with unsent as (select * from jsonb_to_recordset(${recordset(deliveries)}::jsonb) as s (id uuid, token uuid)),
         held as (
           select t.id from task t join unsent s on t.id = s.id and t.delivery_token = s.token
            order by t.id for no key update of t
         )
    update task t
       set send_failed_at = engine.now(${timeOf(ctx.clock)}), send_failed_count = t.send_failed_count + 1,
           updated_at = engine.now(${timeOf(ctx.clock)}), delivery_token = null
      from held h join unsent s on s.id = h.id
     where t.id = h.id and t.delivery_token = s.token and t.status in ('pending', 'queued', 'retry_wait')`
}

const recordset = (deliveries: Delivery[]) =>
  JSON.stringify(deliveries.map(({ taskId, token }) => ({ id: taskId, token })))

/**
 * Maintenance's part: delivers one batch of what is due, and ends tasks that have waited for 24 hours. Answers how many
 * were taken; fewer than `DELIVERY_BATCH` means that nothing more is due. Two rounds at once take different tasks.
 * Two statements for a batch, one when nothing is due.
 */
export async function deliverDue(ctx: AppContext): Promise<number> {
  const taken = await ctx.db.$client<
    { id: string; dispatch_version: number; token: string | null; delay_seconds: number }[]
  >`
    with due as (
      select id, waiting_since <= engine.now(${timeOf(ctx.clock)}) - ${interval(WAITING_MAX_MS)}::interval as exhausted
        from task
       where next_delivery_at <= engine.now(${timeOf(ctx.clock)})
       order by next_delivery_at
       limit ${DELIVERY_BATCH}
         for no key update skip locked
    ), taken as (
      update task t
         set delivery_token = gen_random_uuid(), dispatch_version = t.dispatch_version + 1,
             next_delivery_at = engine.now(${timeOf(ctx.clock)}) + ${interval(DELIVERY_LEASE_MS)}::interval
        from due d
       where t.id = d.id and not d.exhausted and t.status in ('pending', 'queued', 'retry_wait')
      returning t.id, t.dispatch_version, t.delivery_token as token,
        greatest(0, ceil(extract(epoch from t.retry_at - engine.now(${timeOf(ctx.clock)}))))::integer as delay_seconds
    )
    select d.id, k.dispatch_version, k.token, coalesce(k.delay_seconds, 0) as delay_seconds
      from due d left join taken k on k.id = d.id`

  await sendDeliveries(
    ctx,
    taken.flatMap((row) =>
      row.token
        ? [
            {
              taskId: row.id,
              dispatchVersion: row.dispatch_version,
              token: row.token,
              delaySeconds: row.delay_seconds,
            },
          ]
        : [],
    ),
  )
  for (const row of taken) {
    if (row.token) continue
    await exhaust(ctx, row.id)
  }
  return taken.length
}

/** Ends one task that waited too long. What can't be ended now is logged, and keeps no other from being ended. */
async function exhaust(ctx: AppContext, taskId: string): Promise<void> {
  try {
    const [ended] = await ctx.db.$client<{ outcome: string }[]>`
      select engine.exhaust_delivery(${timeOf(ctx.clock)}, ${taskId}, ${interval(WAITING_MAX_MS)}) as outcome`
    ctx.log('delivery.exhausted', { taskId, outcome: ended?.outcome })
  } catch (error) {
    ctx.log('delivery.exhaust_failed', { taskId, ...describeError(error) })
  }
}
