import { MAINTENANCE_BATCH } from '../config/limits'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { sendDeliveries, type Delivery } from './delivery.server'

type RecoveryOutcome = 'untouched' | 'canceled' | 'reconciling' | 'retry_wait' | 'failed'

/**
 * Recovers tasks whose worker let its lease run out, one transaction each, and delivers those that may be tried again.
 * What was read here decides nothing: the function judges the row again under its lock, so that a task that finished
 * meanwhile stays finished. Answers how many were looked at; fewer than a batch means that no more are due.
 */
export async function recoverExpiredLeases(ctx: AppContext): Promise<number> {
  const expired = await ctx.db.$client<{ id: string }[]>`
    select id from task
     where lease_expires_at <= engine.now(${timeOf(ctx.clock)})
     order by lease_expires_at
     limit ${MAINTENANCE_BATCH}`
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

/** One task. What can't be recovered now is logged, and keeps no other from being recovered. */
async function recoverLease(ctx: AppContext, id: string, token: string) {
  try {
    const [answer] = await ctx.db.$client<{ outcome: RecoveryOutcome; dispatch_version: number | null }[]>`
      select outcome, dispatch_version from engine.recover_lease(${timeOf(ctx.clock)}, ${id}, ${token})`
    ctx.log('task.recover', { taskId: id, outcome: answer?.outcome })
    return answer
  } catch (error) {
    ctx.log('task.recover_failed', { taskId: id, ...describeError(error) })
    return undefined
  }
}
