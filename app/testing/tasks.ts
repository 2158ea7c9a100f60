import type { AppContext } from '../context.server'
import { claimTasks, type Lease } from '../tasks/claim.server'
import type { QueueMessage } from '../tasks/consumer.server'
import { submitTask } from '../tasks/submission.server'
import { createFile, createUser } from './factories'

export interface SubmittedTask {
  taskId: string
  userId: string
  fileId: string
  requestKey: string
}

/** A submitted task, with an account and an input of its own unless they are given. */
export async function submit(
  ctx: AppContext,
  given: { userId?: string; fileId?: string; text?: string; params?: unknown; requestKey?: string } = {},
): Promise<SubmittedTask> {
  const userId = given.userId ?? (await createUser(ctx)).id
  const fileId =
    given.fileId ??
    (await createFile(ctx, { userId, bytes: new TextEncoder().encode(given.text ?? 'one\r\ntwo\r\n') })).id
  const requestKey = given.requestKey ?? crypto.randomUUID()
  const submission = await submitTask(ctx, {
    userId,
    fileId,
    requestKey,
    processor: 'text-normalize',
    params: given.params ?? {},
  })
  if (!submission.taskId) throw new Error(`refused: ${submission.outcome}`)
  return { taskId: submission.taskId, userId, fileId, requestKey }
}

/** A message as the queue hands it over, which remembers what was decided about it. */
export function queueMessage(
  body: unknown,
): QueueMessage & { settled: 'ack' | { retryAfter: number | undefined } | null } {
  const message = {
    id: crypto.randomUUID(),
    body,
    settled: null as 'ack' | { retryAfter: number | undefined } | null,
    ack() {
      message.settled ??= 'ack'
    },
    retry(options?: QueueRetryOptions) {
      message.settled ??= { retryAfter: options?.delaySeconds }
    },
  }
  return message
}

/** Claims a task by its current delivery; throws when that doesn't succeed. */
export async function claim(ctx: AppContext, taskId: string): Promise<Lease> {
  const [row] = await ctx.db.$client<{ version: number }[]>`
    select dispatch_version as version from task where id = ${taskId}`
  if (!row) throw new Error('no such task')
  const [claimed] = await claimTasks(ctx, [{ taskId, dispatchVersion: row.version }], { alone: true })
  if (claimed?.outcome !== 'claimed') throw new Error(`not claimed: ${claimed?.outcome}`)
  return claimed.lease
}

/** The row as it is stored. */
export async function readTask(ctx: AppContext, taskId: string) {
  const [row] = await ctx.db.$client<
    {
      status: string
      error_code: string | null
      attempt_count: number
      lease_version: number
      dispatch_version: number
      dispatch_floor: number
      delivery_token: string | null
      delivery_count: number
      next_delivery_at: string | null
      result_file_id: string | null
      automatic_retry: boolean
      pinned: boolean
      send_failed_count: number
      stage: string | null
    }[]
  >`
    select t.*, exists (select from task_input_pin p where p.task_id = t.id) as pinned from task t where t.id = ${taskId}`
  if (!row) throw new Error('no such task')
  return row
}

export async function readAttempts(ctx: AppContext, taskId: string) {
  return ctx.db.$client<{ lease_version: number; outcome: string | null; error_code: string | null }[]>`
    select lease_version, outcome, error_code from task_attempt where task_id = ${taskId} order by lease_version`
}

/** Files made by a task, in whatever state, with what its account's quota counts. */
export async function readResults(ctx: AppContext, taskId: string) {
  return ctx.db.$client<{ id: string; state: string; counted: boolean; object_key: string }[]>`
    select id, state, counted, object_key from file where task_id = ${taskId} order by created_at, id`
}
