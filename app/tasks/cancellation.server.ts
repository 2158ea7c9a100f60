import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'

export type Cancellation = 'canceled' | 'requested' | 'unchanged' | 'NOT_FOUND'

/**
 * Cancels an account's task. A waiting one ends at once; a running one (or one that an operator must settle) gets a
 * request that its worker's next write obeys; an ended one stays as it is, so a repeat changes nothing. One statement.
 */
export async function cancelTask(
  ctx: AppContext,
  { userId, taskId }: { userId: string; taskId: string },
): Promise<Cancellation> {
  const [answer] = await ctx.db.$client<{ outcome: Cancellation }[]>`
    select engine.cancel_task(${timeOf(ctx.clock)}, ${userId}, ${taskId}) as outcome`
  const outcome = answer?.outcome ?? 'NOT_FOUND'
  ctx.log('task.cancel', { taskId, outcome })
  return outcome
}
