import type { ExecutionCode } from '../config/failures'
import { PAGE_SIZE } from '../config/limits'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import type { AppContext } from '../context.server'
import { keysetClauses, keysetPage, pageStart, type KeysetPage } from '../db/keyset.server'
import { arrayOf, momentOf, timeOf } from '../db/values.server'
import { PROCESSORS, processorKey } from './processors/registry.server'
import type { Parameters } from './processors/processor'
import { RETRYABLE_CODES } from './retry.server'
import { refusalOf } from './submission.server'

/** What an owner may see of a task. No lease, token, digest or fingerprint, and no version but the processor's own. */
export interface TaskSummary {
  id: string
  status: TaskStatus
  stage: string | null
  progress: { done: number; total: number; unit: string } | null
  processor: string
  processorVersion: number
  params: Parameters
  input: FileSnapshot
  result: FileSnapshot | null
  errorCode: ExecutionCode | null
  attemptCount: number
  maxAttempts: number
  createdAt: Date
  updatedAt: Date
  queuedAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  retryAt: Date | null
  cancelRequestedAt: Date | null
}

/** A file as it was when the task used or made it. The file itself may be gone. */
export interface FileSnapshot {
  fileId: string
  name: string
  type: string
  size: number
}

export interface TaskDetail extends TaskSummary {
  attempts: {
    startedAt: Date
    finishedAt: Date | null
    outcome: 'succeeded' | 'failed' | 'canceled' | 'lease_lost' | null
    errorCode: ExecutionCode | null
  }[]
  /** When the queue gave up on a delivery of this task. */
  deliveryFailedAt: Date[]
  inputAvailable: boolean
  /** When the result's file expires; null when there is none to download any more. */
  resultExpiresAt: Date | null
  /** What the server would accept now. */
  can: { cancel: boolean; retry: boolean }
}

interface SummaryRow {
  id: string
  status: TaskStatus
  stage: string | null
  progress_done: string | null
  progress_total: string | null
  progress_unit: string | null
  processor: string
  processor_version: number
  params: Parameters
  input_file_id: string
  input_name: string
  input_type: string
  input_size: string
  result_file_id: string | null
  result_name: string
  result_type: string
  result_size: string
  error_code: ExecutionCode | null
  attempt_count: number
  max_attempts: number
  created_at: string
  updated_at: string
  queued_at: string | null
  started_at: string | null
  finished_at: string | null
  retry_at: string | null
  cancel_requested_at: string | null
}

/** The columns of a `SummaryRow`. */
function summaryColumns(ctx: AppContext) {
  return ctx.db.$client`
    t.id, t.status, t.stage, t.progress_done, t.progress_total, t.progress_unit, t.processor, t.processor_version,
    t.params, t.input_file_id, t.input_name, t.input_type, t.input_size, t.result_file_id, t.result_name,
    t.result_type, t.result_size, t.error_code, t.attempt_count, t.max_attempts, t.created_at, t.updated_at,
    t.queued_at, t.started_at, t.finished_at, t.retry_at, t.cancel_requested_at`
}

export type TaskPage = Omit<KeysetPage<never>, 'rows'> & { tasks: TaskSummary[] }

export interface ListRequest {
  userId: string
  status?: TaskStatus | null
  after?: string | null
  before?: string | null
  limit?: number
}

/**
 * One page of an account's tasks, newest first, by keyset: page 1,000 costs what page 1 does, and equal times lose and
 * repeat nothing. `INVALID_INPUT` for a broken cursor, or both at once. One statement.
 */
export async function listTasks(ctx: AppContext, request: ListRequest): Promise<TaskPage | 'INVALID_INPUT'> {
  const limit = request.limit ?? PAGE_SIZE
  const start = pageStart(request)
  if (!start) return 'INVALID_INPUT'

  const sql = ctx.db.$client
  const { beyond, order } = keysetClauses(sql, start)
  const read = await sql<SummaryRow[]>`
    select ${summaryColumns(ctx)} from task t
     where t.user_id = ${request.userId}
       ${request.status ? whereStatus(ctx, request.status) : sql``}
       ${beyond}
     order by ${order}
     limit ${limit + 1}`
  const { rows, ...cursors } = keysetPage(read.map(toSummary), start, limit)
  return { tasks: rows, ...cursors }
}

/** Says of ended tasks that they have ended, so that each status is served by its partial index. */
function whereStatus(ctx: AppContext, status: TaskStatus) {
  const sql = ctx.db.$client
  return sql`and t.status = ${status} and t.finished_at is ${hasEnded(status) ? sql`not null` : sql`null`}`
}

interface DetailRow extends SummaryRow {
  attempts: {
    started_at: string
    finished_at: string | null
    outcome: string | null
    error_code: string | null
  }[]
  delivery_failed_at: string[]
  input_available: boolean
  result_expires_at: string | null
  may_retry: boolean
}

/** One of the account's tasks with its attempts; null when there is no such task of this account. One statement. */
export async function getTask(
  ctx: AppContext,
  { userId, taskId }: { userId: string; taskId: string },
): Promise<TaskDetail | null> {
  const [row] = await ctx.db.$client<DetailRow[]>`
    select ${summaryColumns(ctx)},
           coalesce((select jsonb_agg(jsonb_build_object('started_at', a.started_at, 'finished_at', a.finished_at,
                                        'outcome', a.outcome, 'error_code', a.error_code) order by a.lease_version)
                       from task_attempt a where a.task_id = t.id), '[]') as attempts,
           coalesce((select jsonb_agg(d.received_at order by d.received_at) from task_dead_letter d
                      where d.task_id = t.id and d.class in ('applied', 'deferred')), '[]') as delivery_failed_at,
           coalesce(i.state = 'ready' and i.expires_at > engine.now(${timeOf(ctx.clock)}), false) as input_available,
           r.expires_at as result_expires_at,
           engine.retry_refusal(t, i, p_retryable => ${arrayOf(RETRYABLE_CODES)},
             p_processors => ${arrayOf(PROCESSORS.map(processorKey))}, p_max_active => ${ctx.site.tasks.maxActive},
             p_now => engine.now(${timeOf(ctx.clock)})) is null as may_retry
      from task t
      left join file i on i.id = t.input_file_id and i.user_id = t.user_id
      left join file r on r.id = t.result_file_id and r.user_id = t.user_id and r.state = 'ready'
                      and r.expires_at > engine.now(${timeOf(ctx.clock)})
     where t.id = ${taskId} and t.user_id = ${userId}`
  return row ? toDetail(ctx, row) : null
}

/** What a poll needs: small, and one statement. Null when there is no such task of this account. */
export async function getTaskStatus(
  ctx: AppContext,
  { userId, taskId }: { userId: string; taskId: string },
): Promise<TaskSummary | null> {
  const [row] = await ctx.db.$client<SummaryRow[]>`
    select ${summaryColumns(ctx)} from task t where t.id = ${taskId} and t.user_id = ${userId}`
  return row ? toSummary(row) : null
}

function toSummary(row: SummaryRow): TaskSummary {
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    progress:
      row.progress_unit === null
        ? null
        : { done: Number(row.progress_done), total: Number(row.progress_total), unit: row.progress_unit },
    processor: row.processor,
    processorVersion: row.processor_version,
    params: row.params,
    input: {
      fileId: row.input_file_id,
      name: row.input_name,
      type: row.input_type,
      size: Number(row.input_size),
    },
    result:
      row.result_file_id === null
        ? null
        : {
            fileId: row.result_file_id,
            name: row.result_name,
            type: row.result_type,
            size: Number(row.result_size),
          },
    errorCode: row.error_code,
    attemptCount: row.attempt_count,
    maxAttempts: row.max_attempts,
    createdAt: momentOf(row.created_at),
    updatedAt: momentOf(row.updated_at),
    queuedAt: momentOf(row.queued_at),
    startedAt: momentOf(row.started_at),
    finishedAt: momentOf(row.finished_at),
    retryAt: momentOf(row.retry_at),
    cancelRequestedAt: momentOf(row.cancel_requested_at),
  }
}

function toDetail(ctx: AppContext, row: DetailRow): TaskDetail {
  const summary = toSummary(row)
  return {
    ...summary,
    attempts: row.attempts.map((attempt) => ({
      startedAt: momentOf(attempt.started_at),
      finishedAt: momentOf(attempt.finished_at),
      outcome: attempt.outcome as TaskDetail['attempts'][number]['outcome'],
      errorCode: attempt.error_code as ExecutionCode | null,
    })),
    deliveryFailedAt: row.delivery_failed_at.map((time) => momentOf(time)),
    inputAvailable: row.input_available,
    resultExpiresAt: momentOf(row.result_expires_at),
    can: {
      cancel: !hasEnded(summary.status) && summary.cancelRequestedAt === null,
      retry: row.may_retry && refusalOf(ctx) === null,
    },
  }
}
