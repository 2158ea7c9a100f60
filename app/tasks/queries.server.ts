import type { ExecutionCode } from '../config/failures'
import { PAGE_SIZE } from '../config/limits'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import type { AppContext } from '../context.server'
import { keysetClauses, keysetPage, pageStart, type KeysetPage } from '../db/keyset.server'
import { arrayOf, momentOf, timeOf } from '../db/values.server'
import { PROCESSORS, processorKey } from './processors/registry.server'
import { RETRYABLE_CODES } from './retry.server'
import { refusalOf } from './submission.server'
import { summaryColumns, toSummary, type SummaryRow, type TaskSummary } from './summary.server'

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
  can: Can
}

/** What the server would accept now. */
export interface Can {
  cancel: boolean
  retry: boolean
}

/** A task in a list. */
export interface ListedTask extends TaskSummary {
  can: Can
}

export interface ListedRow extends SummaryRow {
  retry_refusal: string | null
}

/** The columns of a `ListedRow`, of `task t`. Looks at the input of failed tasks alone. */
export function listedColumns(ctx: AppContext) {
  const sql = ctx.db.$client
  return sql`
    ${summaryColumns(ctx)},
    case when t.status = 'failed' then (select ${retryRefusal(ctx)} from (select) as one
                                          left join file i on i.id = t.input_file_id and i.user_id = t.user_id)
         else 'NOT_RETRYABLE' end as retry_refusal`
}

/** Why a retry of `task t` with its input `file i` would be refused; null when nothing stands in its way. */
function retryRefusal(ctx: AppContext) {
  return ctx.db.$client`
    engine.retry_refusal(t, i, p_retryable => ${arrayOf(RETRYABLE_CODES)},
      p_processors => ${arrayOf(PROCESSORS.map(processorKey))}, p_max_active => ${ctx.site.tasks.maxActive},
      p_now => engine.now(${timeOf(ctx.clock)}))`
}

export function toListed(ctx: AppContext, row: ListedRow): ListedTask {
  const summary = toSummary(row)
  return { ...summary, can: canOf(ctx, summary, row.retry_refusal) }
}

function canOf(
  ctx: AppContext,
  { status, cancelRequestedAt }: TaskSummary,
  retryRefused: string | null,
): Can {
  return {
    cancel: !hasEnded(status) && cancelRequestedAt === null,
    retry: retryRefused === null && refusalOf(ctx) === null,
  }
}

export type TaskPage = Omit<KeysetPage<never>, 'rows'> & { tasks: ListedTask[] }

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
  const read = await sql<ListedRow[]>`
    select ${listedColumns(ctx)} from task t
     where t.user_id = ${request.userId}
       ${request.status ? whereStatus(ctx, request.status) : sql``}
       ${beyond}
     order by ${order}
     limit ${limit + 1}`
  const { rows, ...cursors } = keysetPage(
    read.map((row) => toListed(ctx, row)),
    start,
    limit,
  )
  return { tasks: rows, ...cursors }
}

/** Says of ended tasks that they have ended, so that each status is served by its partial index. */
function whereStatus(ctx: AppContext, status: TaskStatus) {
  const sql = ctx.db.$client
  return sql`and t.status = ${status} and t.finished_at is ${hasEnded(status) ? sql`not null` : sql`null`}`
}

interface DetailRow extends ListedRow {
  attempts: {
    started_at: string
    finished_at: string | null
    outcome: string | null
    error_code: string | null
  }[]
  delivery_failed_at: string[]
  input_available: boolean
  result_expires_at: string | null
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
           ${retryRefusal(ctx)} as retry_refusal
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
    can: canOf(ctx, summary, row.retry_refusal),
  }
}
