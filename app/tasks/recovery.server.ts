import { MAINTENANCE_BATCH } from '../config/limits'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { sendDeliveries, type Delivery } from './delivery.server'
import { takeDue } from './take-due.server'

type RecoveryOutcome = 'untouched' | 'canceled' | 'reconciling' | 'retry_wait' | 'failed'

/**
 * Recovers tasks whose worker let its lease run out, one transaction each, and delivers those that may be tried again.
 * Each moves back in its line before it is tried: one that fails, or ends its round, blocks no other, and two rounds at
 * once take different ones. What was read here decides nothing: the function judges the row again under its lock, so that
 * a task that finished meanwhile stays finished. Answers how many were looked at; fewer than a batch means that no more
 * are due.
 */
export async function recoverExpiredLeases(ctx: AppContext): Promise<number> {
  const sql = ctx.db.$client
  const now = timeOf(ctx.clock)
  const isDue = sql`lease_expires_at is not null and greatest(lease_expires_at, next_recovery_at) <= engine.now(${now})`
  const expired = await takeDue(
    ctx,
    (only) => sql<{ id: string }[]>`
      with due as (
        select id from task
         where ${isDue} ${only ? sql`and id = ${only}` : sql``}
         order by greatest(lease_expires_at, next_recovery_at)
         limit ${MAINTENANCE_BATCH}
           for no key update skip locked
      )
      update task t
         set recovery_try_count = t.recovery_try_count + 1,
             next_recovery_at = engine.try_again_at(engine.now(${now}), t.recovery_try_count)
        from due
       where t.id = due.id and t.status = 'running' and t.lease_expires_at <= engine.now(${now})
      returning t.id`,
    () =>
      sql<{ id: string }[]>`select id from task where ${isDue} order by random() limit ${MAINTENANCE_BATCH}`,
  )
  const deliveries: Delivery[] = []
  for (const { id } of expired) {
    const token = crypto.randomUUID()
    const recovered = await recoverLease(ctx, id, token)
    if (recovered?.dispatch_version) {
      deliveries.push({ taskId: id, dispatchVersion: recovered.dispatch_version, token })
    }
  }
  await sendDeliveries(ctx, deliveries)
  return expired.length
}

/** One task, judged under its lock. What can't be recovered now is logged, and keeps no other from being recovered. */
export async function recoverLease(ctx: AppContext, id: string, token: string) {
  try {
    const [answer] = await ctx.db.$client<{ outcome: RecoveryOutcome; dispatch_version: number | null }[]>`
      select outcome, dispatch_version 
        from engine.recover_lease(p_now => ${timeOf(ctx.clock)}, p_task => ${id}, p_token => ${token})`
    ctx.log('task.recover', { taskId: id, outcome: answer?.outcome })
    return answer
  } catch (error) {
    ctx.log('task.recover_failed', { taskId: id, ...describeError(error) })
    return undefined
  }
}
