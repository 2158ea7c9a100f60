import type { AppContext } from '../context.server'
import { DELIVERY_BATCH, REDELIVERY_FIRST_MS, REDELIVERY_MAX_MS, WAITING_MAX_MS } from '../config/limits'
import { interval, timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { takeDue } from './take-due.server'

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
  const outcome = await send(ctx, deliveries)
  try {
    await record(ctx, deliveries, outcome)
  } catch (error) {
    // No reason to tell a person that their task wasn't stored: it is due again when its lease ends.
    ctx.log('delivery.not_recorded', { tasks: deliveries.length, ...describeError(error) })
  }
  return outcome
}

async function send(ctx: AppContext, deliveries: Delivery[]): Promise<'sent' | 'failed'> {
  try {
    if (!ctx.queue) throw new Error('no queue is bound')
    const [first, ...more] = deliveries.map(({ taskId, dispatchVersion, delaySeconds }) => ({
      body: { taskId, dispatchVersion },
      delaySeconds,
    }))
    if (more.length === 0) await ctx.queue.send(first!.body, { delaySeconds: first!.delaySeconds })
    else await ctx.queue.sendBatch([first!, ...more])
    return 'sent'
  } catch (error) {
    ctx.log('delivery.send_failed', { tasks: deliveries.length, ...describeError(error) })
    return 'failed'
  }
}

/**
 * Gives the delivery leases back. Sent: `pending` becomes `queued`, and the next delivery is due after 2, 4, 8 … at most 30
 * minutes. Failed: time and count of it; due again when the lease would have ended.
 */
async function record(ctx: AppContext, deliveries: Delivery[], outcome: 'sent' | 'failed'): Promise<void> {
  const sql = ctx.db.$client
  const now = timeOf(ctx.clock)
  const tokens = JSON.stringify(deliveries.map(({ taskId, token }) => ({ id: taskId, token })))
  const change =
    outcome === 'failed'
      ? sql`send_failed_at = engine.now(${now}), send_failed_count = t.send_failed_count + 1`
      : sql`
           status = case when t.status = 'pending' then 'queued' else t.status end,
           queued_at = engine.now(${now}), delivery_count = t.delivery_count + 1,
           next_delivery_at = greatest(engine.now(${now}), t.retry_at)
             + least(${interval(REDELIVERY_FIRST_MS)}::interval * power(2, least(t.delivery_count, 10)),
                     ${interval(REDELIVERY_MAX_MS)}::interval)`
  await sql`
    with delivery as (select * from jsonb_to_recordset(${tokens}::jsonb) as d (id uuid, token uuid)),
         held as (
           select t.id, d.token from task t join delivery d on t.id = d.id and t.delivery_token = d.token
            order by t.id for no key update of t
         )
    update task t
       set ${change}, delivery_token = null, updated_at = engine.now(${now})
      from held h
     where t.id = h.id and t.delivery_token = h.token and t.status in ('pending', 'queued', 'retry_wait')`
}

interface DueRow {
  id: string
  dispatch_version: number
  token: string
  delay_seconds: number
  /** It has waited for too long, and isn't delivered any more. */
  exhausted: boolean
}

/**
 * Maintenance's part: delivers one batch of what is due, and ends tasks that have waited for 24 hours. Each moves back in
 * its line before it is tried. Answers how many were taken; fewer than `DELIVERY_BATCH` means that nothing more is due.
 * Two rounds at once take different tasks. Two statements for a batch, one when nothing is due.
 */
export async function deliverDue(ctx: AppContext): Promise<number> {
  const sql = ctx.db.$client
  const now = timeOf(ctx.clock)
  const taken = await takeDue(
    ctx,
    (only) => sql<DueRow[]>`
      with due as (
        select id, waiting_since <= engine.now(${now}) - ${interval(WAITING_MAX_MS)}::interval as exhausted
          from task
         where next_delivery_at <= engine.now(${now}) ${only ? sql`and id = ${only}` : sql``}
         order by next_delivery_at
         limit ${DELIVERY_BATCH}
           for no key update skip locked
      )
      update task t
         set delivery_token = gen_random_uuid(), dispatch_version = t.dispatch_version + 1,
             next_delivery_at = engine.now(${now})
               + case when d.exhausted then ${interval(REDELIVERY_MAX_MS)}::interval else engine.delivery_lease() end
        from due d
       where t.id = d.id and t.status in ('pending', 'queued', 'retry_wait')
      returning t.id, t.dispatch_version, t.delivery_token as token, d.exhausted,
        greatest(0, ceil(extract(epoch from t.retry_at - engine.now(${now}))))::integer as delay_seconds`,
    () => sql<{ id: string }[]>`
      select id from task where next_delivery_at <= engine.now(${now}) order by random() limit ${DELIVERY_BATCH}`,
  )

  await sendDeliveries(
    ctx,
    taken
      .filter(({ exhausted }) => !exhausted)
      .map((row) => ({
        taskId: row.id,
        dispatchVersion: row.dispatch_version,
        token: row.token,
        delaySeconds: row.delay_seconds,
      })),
  )
  for (const { id, exhausted } of taken) if (exhausted) await exhaust(ctx, id)
  return taken.length
}

/** Ends one task that waited too long. What can't be ended now is logged, and keeps no other from being ended. */
async function exhaust(ctx: AppContext, taskId: string): Promise<void> {
  try {
    const [ended] = await ctx.db.$client<{ outcome: string }[]>`
      select engine.exhaust_delivery(
        p_now => ${timeOf(ctx.clock)}, p_task => ${taskId}, p_waiting_max => ${interval(WAITING_MAX_MS)}) as outcome`
    ctx.log('delivery.exhausted', { taskId, outcome: ended?.outcome })
  } catch (error) {
    ctx.log('delivery.exhaust_failed', { taskId, ...describeError(error) })
  }
}
