import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'

/**
 * Ends a `reconciling` task as an operator has decided: `failed` (`RECONCILED`) or `canceled`. A repeat, or a task that
 * isn't waiting for a decision, changes nothing. The reason is kept with the task, for operators. One statement.
 */
export async function settleTask(
  ctx: AppContext,
  { taskId, as, reason }: { taskId: string; as: 'failed' | 'canceled'; reason: string },
): Promise<'settled' | 'NOT_RECONCILING'> {
  const [answer] = await ctx.db.$client<{ outcome: 'settled' | 'NOT_RECONCILING' }[]>`
    select engine.settle_task(${timeOf(ctx.clock)}, ${taskId}, ${as}, ${reason}) as outcome`
  const outcome = answer?.outcome ?? 'NOT_RECONCILING'
  ctx.log('task.settle', { taskId, as, outcome })
  return outcome
}
