import type { ExecutionCode, FailureCode } from '../config/failures'
import type { AppContext } from '../context.server'
import { arrayOf, timeOf } from '../db/values.server'
import { sendDeliveries } from './delivery.server'
import { PROCESSORS, processorKey } from './processors/registry.server'
import { refusalOf } from './submission.server'

/** Failures that another attempt may mend. The others would come again with the same input. */
export const RETRYABLE_CODES = [
  'STORAGE_UNAVAILABLE',
  'STORAGE_FULL',
  'LEASE_EXPIRED',
  'PROCESSOR_UNAVAILABLE',
  'DELIVERY_EXHAUSTED',
  'INTERNAL',
] as const satisfies ExecutionCode[]

export type RetryRefusal = Extract<
  FailureCode,
  | 'NOT_FOUND'
  | 'DISABLED'
  | 'NOT_CONFIGURED'
  | 'NOT_RETRYABLE'
  | 'ACTIVE_LIMIT'
  | 'FILE_NOT_FOUND'
  | 'FILE_EXPIRED'
  | 'INPUT_CHANGED'
  | 'CAPTCHA_FAILED'
>

export type Retry = 'retried' | 'repeated' | RetryRefusal

export interface RetryRequest {
  userId: string
  taskId: string
  /** The count of attempts and the time of the failure that the form was shown for; a program may leave the time out. */
  attempts: number
  finishedAt?: Date
  captchaToken?: string
}

/**
 * Begins a failed task again, if its failure can be mended, attempts are left and its input is still what it was. A repeat
 * of an accepted retry changes nothing, also after the task has failed once more: `attempts` and `finishedAt` say which
 * failure was meant. Two statements with the delivery's record.
 */
export async function retryTask(
  ctx: AppContext,
  { userId, taskId, attempts, finishedAt, captchaToken }: RetryRequest,
): Promise<Retry> {
  // A repeat is answered whatever became of its captcha: the function objects only to a retry that is none.
  let refusal: RetryRefusal | null = refusalOf(ctx)
  if (ctx.captcha && !refusal && !(await ctx.captcha(captchaToken ?? null, 'task_retry')))
    refusal = 'CAPTCHA_FAILED'
  const token = crypto.randomUUID()
  const [answer] = await ctx.db.$client<{ outcome: Retry; dispatch_version: number | null }[]>`
    select outcome, dispatch_version from engine.retry_task(
      p_now => ${timeOf(ctx.clock)}, p_user => ${userId}, p_task => ${taskId}, p_attempts => ${attempts},
      p_finished_at => ${finishedAt?.toISOString() ?? null}, p_refusal => ${refusal},
      p_retryable => ${arrayOf(RETRYABLE_CODES)}, p_processors => ${arrayOf(PROCESSORS.map(processorKey))},
      p_max_active => ${ctx.site.tasks.maxActive}, p_token => ${token})`
  if (!answer) throw new Error('retry_task answered nothing')

  ctx.log('task.retry', { taskId, outcome: answer.outcome })
  if (answer.dispatch_version !== null) {
    await sendDeliveries(ctx, [{ taskId, dispatchVersion: answer.dispatch_version, token }])
  }
  return answer.outcome
}
