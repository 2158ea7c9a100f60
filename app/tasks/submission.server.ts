import { uuidv7 } from 'uuidv7'
import type { FailureCode } from '../config/failures'
import type { AppContext } from '../context.server'
import { arrayOf, timeOf } from '../db/values.server'
import { sendDeliveries } from './delivery.server'
import { fingerprintOf } from './fingerprint.server'
import { findProcessor } from './processors/registry.server'

export interface SubmissionRequest {
  userId: string
  /** The idempotency key that stands in the form's URL. */
  requestKey: string
  fileId: string
  processor: string
  /** Typed parameters; unknown or invalid ones are refused. */
  params: unknown
  /** The price that the person saw; may be absent for a free processor. */
  quotedPrice?: number
  /** Proof that a person asks; stored nowhere, and part of no fingerprint. */
  captchaToken?: string
}

export type SubmissionRefusal = Extract<
  FailureCode,
  | 'INVALID_INPUT'
  | 'UNAUTHENTICATED'
  | 'DISABLED'
  | 'NOT_CONFIGURED'
  | 'ACTIVE_LIMIT'
  | 'FILE_NOT_FOUND'
  | 'FILE_EXPIRED'
  | 'FILE_TYPE_UNSUPPORTED'
  | 'QUOTE_CHANGED'
  | 'CAPTCHA_FAILED'
>

export type Submission =
  | { outcome: 'created' | 'repeated'; taskId: string }
  /** The key was used with other inputs; `taskId` is the task that it made. */
  | { outcome: 'REQUEST_CONFLICT'; taskId: string }
  | { outcome: SubmissionRefusal; taskId: null }

/**
 * Stores one task for one request key, then delivers it. Sending the same request again, at once or after the task
 * ended and its file is gone, returns the same task and runs nothing. Refused: nothing is stored.
 *
 * Two statements with the delivery's record, one more where a captcha is asked for; a send that fails leaves the task
 * `pending` for maintenance.
 */
export async function submitTask(ctx: AppContext, request: SubmissionRequest): Promise<Submission> {
  const processor = findProcessor(request.processor)
  const params = processor?.parse(request.params)
  if (!processor || !params) return { outcome: 'INVALID_INPUT', taskId: null }

  const fingerprint = await fingerprintOf({ processor: processor.name, fileId: request.fileId, params })
  let refusal: SubmissionRefusal | null = refusalOf(ctx)
  if (ctx.captcha && !refusal) {
    // A repeat is answered before its captcha is looked at: its token is spent.
    const known = await findRequest(ctx, request, fingerprint)
    if (known) return known
    if (!(await ctx.captcha(request.captchaToken ?? null, 'task_submit'))) refusal = 'CAPTCHA_FAILED'
  }

  const token = crypto.randomUUID()
  const [answer] = await ctx.db.$client<Submission[]>`
    select outcome, task_id as "taskId" from engine.submit_task(
      p_now => ${timeOf(ctx.clock)}, p_user => ${request.userId}, p_task => ${uuidv7()},
      p_request_key => ${request.requestKey}, p_fingerprint => ${fingerprint}, p_refusal => ${refusal},
      p_file => ${request.fileId}, p_processor => ${processor.name}, p_version => ${processor.version},
      p_deterministic => ${processor.deterministic}, p_types => ${arrayOf(processor.accepts)},
      p_params => ${JSON.stringify(params)}, p_price => ${ctx.site.prices[processor.name] ?? 0},
      p_quoted => ${request.quotedPrice ?? null}, p_max_active => ${ctx.site.tasks.maxActive},
      p_max_attempts => ${ctx.site.tasks.maxAttempts}, p_token => ${token})`
  if (!answer) throw new Error('submit_task answered nothing')

  ctx.log('task.submit', { taskId: answer.taskId, outcome: answer.outcome, processor: processor.name })
  // Send after commit: a message that beats the row would be dropped as unknown.
  if (answer.outcome === 'created') {
    await sendDeliveries(ctx, [{ taskId: answer.taskId, dispatchVersion: 1, token }])
  }
  return answer
}

/** The task that this request has made before, or the conflict with it; null for a new request. One statement. */
async function findRequest(
  ctx: AppContext,
  { userId, requestKey }: SubmissionRequest,
  fingerprint: string,
): Promise<Submission | null> {
  const [known] = await ctx.db.$client<Submission[]>`
    select outcome, task_id as "taskId" from engine.find_request(${userId}, ${requestKey}, ${fingerprint})`
  return known ?? null
}

/** What stands in the way of new work on this site as it is set up; null when nothing does. */
export function refusalOf(ctx: AppContext): 'DISABLED' | 'NOT_CONFIGURED' | null {
  if (!ctx.site.tasks.enabled) return 'DISABLED'
  return ctx.storage && ctx.queue ? null : 'NOT_CONFIGURED'
}
