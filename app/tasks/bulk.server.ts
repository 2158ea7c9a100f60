import type { AppContext } from '../context.server'
import { cancelTask, type Cancellation } from './cancellation.server'
import { retryTask, type Retry, type RetryRequest } from './retry.server'
import { getTaskStatus } from './queries.server'

/** What became of one of several tasks. */
export interface BulkOutcome<Outcome> {
  taskId: string
  outcome: Outcome
}

/** Cancels several of an account's tasks, each by itself: one that isn't there keeps no other. One statement each. */
export async function cancelTasks(
  ctx: AppContext,
  { userId, taskIds }: { userId: string; taskIds: readonly string[] },
): Promise<BulkOutcome<Cancellation>[]> {
  const outcomes: BulkOutcome<Cancellation>[] = []
  for (const taskId of taskIds) outcomes.push({ taskId, outcome: await cancelTask(ctx, { userId, taskId }) })
  return outcomes
}

/** A failure as the list showed it. Without a count it is the one that stands now, and a repeat isn't known as one. */
export type ShownFailure = Pick<RetryRequest, 'taskId' | 'finishedAt'> & { attempts?: number }

/**
 * Retries several of an account's tasks, each by itself and in the order given, as long as there is room for active ones.
 * A repeat of the same form changes nothing. Two statements each, three where the form didn't say which failure it means.
 */
export async function retryTasks(
  ctx: AppContext,
  {
    userId,
    failures,
    captchaToken,
  }: { userId: string; failures: readonly ShownFailure[]; captchaToken?: string },
): Promise<BulkOutcome<Retry>[]> {
  const outcomes: BulkOutcome<Retry>[] = []
  const asked = withOneProof(ctx)
  for (const failure of failures) {
    const shown = await failureOf(ctx, userId, failure)
    const outcome = shown ? await retryTask(asked, { userId, captchaToken, ...shown }) : 'NOT_FOUND'
    outcomes.push({ taskId: failure.taskId, outcome })
  }
  return outcomes
}

async function failureOf(ctx: AppContext, userId: string, { attempts, ...failure }: ShownFailure) {
  if (attempts !== undefined) return { ...failure, attempts }
  const task = await getTaskStatus(ctx, { userId, taskId: failure.taskId })
  return task && { ...failure, attempts: task.attemptCount }
}

/** A captcha's token is good for one look; the form is one proof for all that it carries. */
function withOneProof(ctx: AppContext): AppContext {
  const { captcha } = ctx
  if (!captcha) return ctx
  let verdict: Promise<boolean> | undefined
  return { ...ctx, captcha: (token, action) => (verdict ??= captcha(token, action)) }
}
