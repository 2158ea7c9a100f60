import type { ExecutionCode } from '../config/failures'
import { STORAGE_RETRY_MS, UNCLASSIFIED_RETRY_MS } from '../config/limits'
import type { AppContext } from '../context.server'
import { isConnectionLost } from '../db/errors.server'
import { interval, timeOf } from '../db/values.server'
import type { Lease } from './claim.server'
import { sendDeliveries } from './delivery.server'

/** Why an attempt ended without a result: a code that its processor or the runner knows, or an error nobody expected. */
export type AttemptFailure = { code: ExecutionCode } | { unclassified: true }

/** How long to wait before the next attempt; null when this failure would only come again. */
function retryDelay(failure: AttemptFailure, attempt: number): number | null {
  if ('unclassified' in failure) return UNCLASSIFIED_RETRY_MS
  return failure.code === 'STORAGE_UNAVAILABLE' ? STORAGE_RETRY_MS * attempt : null
}

export type AttemptEnd = 'lease_lost' | 'canceled' | 'retry_wait' | 'reconciling' | 'failed'

/**
 * Ends the attempt that this lease stands for, in one statement, and delivers the next one where there will be one (with
 * the queue's own delay: maintenance is the safety net, not the pace-maker). `lease_lost`: nothing changed.
 */
export async function endAttempt(
  ctx: AppContext,
  lease: Lease,
  failure: AttemptFailure,
): Promise<AttemptEnd> {
  const delay = retryDelay(failure, lease.attempt)
  const code = 'code' in failure ? failure.code : 'INTERNAL'
  const token = crypto.randomUUID()
  const write = () => ctx.db.$client<{ outcome: AttemptEnd; dispatch_version: number | null }[]>`
    select outcome, dispatch_version from engine.end_attempt(
      p_now => ${timeOf(ctx.clock)}, p_task => ${lease.taskId}, p_lease => ${lease.version}, p_error => ${code},
      p_classified => ${'code' in failure}, p_retry_after => ${delay === null ? null : interval(delay)},
      p_token => ${token})`
  const [answer] = await write().catch((error: unknown) => {
    // What ended the attempt may have been the loss of this connection, which the driver notices only now. The lease's
    // version makes a second write harmless.
    if (!isConnectionLost(error)) throw error
    return write()
  })
  if (!answer) throw new Error('end_attempt answered nothing')

  ctx.log('task.attempt_failed', {
    taskId: lease.taskId,
    leaseVersion: lease.version,
    attempt: lease.attempt,
    code,
    outcome: answer.outcome,
  })
  if (answer.dispatch_version !== null) {
    await sendDeliveries(ctx, [
      {
        taskId: lease.taskId,
        dispatchVersion: answer.dispatch_version,
        token,
        delaySeconds: Math.ceil((delay ?? 0) / 1000),
      },
    ])
  }
  return answer.outcome
}
