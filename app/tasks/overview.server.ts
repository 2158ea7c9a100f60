import { ATTENTION_AMONG, ATTENTION_ROWS, COUNTED_MAX } from '../config/limits'
import { ENDED_STATUSES, type TaskStatus } from '../config/task-statuses'
import type { AppContext } from '../context.server'
import { arrayOf } from '../db/values.server'
import { listedColumns, toListed, type ListedRow, type ListedTask } from './queries.server'

export interface TaskOverview {
  /** Tasks by status, none where there are none; `COUNTED_MAX + 1` stands for "more". */
  counts: Partial<Record<TaskStatus, number>>
  /**
   * What its owner can do something about, newest first: failures that a retry may mend (if need be once another task has
   * made room), and tasks whose outcome is uncertain.
   */
  attention: ListedTask[]
}

/**
 * What stands around an account's list of tasks. Its cost is bounded however many tasks there are: counting stops where
 * "more" begins, and only the newest `ATTENTION_AMONG` failures are looked at. One statement.
 */
export async function taskOverview(ctx: AppContext, userId: string): Promise<TaskOverview> {
  const sql = ctx.db.$client
  const [row] = await sql<{ counts: TaskOverview['counts'] | null; attention: ListedRow[] }[]>`
    select (select jsonb_object_agg(status, count) from (
              select status, count(*) from task where user_id = ${userId} and finished_at is null group by status
              union all
              select ended, (select count(*) from (
                               select from task t
                                where t.user_id = ${userId} and t.status = ended and t.finished_at is not null
                                limit ${COUNTED_MAX + 1}) as capped)
                from unnest(${arrayOf(ENDED_STATUSES)}::text[]) as ended) as counted (status, count)
             where count > 0) as counts,
           (select coalesce(jsonb_agg(to_jsonb(listed) order by listed.created_at desc, listed.id desc), '[]') from (
              select * from (
                select ${listedColumns(ctx)} from task t
                 where t.id = any (array(
                         select id from task
                          where user_id = ${userId} and finished_at is null and status = 'reconciling')
                       || array(
                         select id from task
                          where user_id = ${userId} and finished_at is not null and status = 'failed'
                          order by created_at desc, id desc limit ${ATTENTION_AMONG}))) as candidate
               where status = 'reconciling' or retry_refusal is null or retry_refusal = 'ACTIVE_LIMIT'
               order by created_at desc, id desc
               limit ${ATTENTION_ROWS}) as listed) as attention`
  return {
    counts: row?.counts ?? {},
    attention: (row?.attention ?? []).map((each) => toListed(ctx, each)),
  }
}

/** The input names of those of the tasks that are the account's, by their ids. One statement. */
export async function findInputNames(
  ctx: AppContext,
  { userId, taskIds }: { userId: string; taskIds: readonly string[] },
): Promise<Map<string, string>> {
  if (taskIds.length === 0) return new Map()
  const rows = await ctx.db.$client<{ id: string; name: string }[]>`
    select id, input_name as name from task where id = any (${arrayOf(taskIds)}::uuid[]) and user_id = ${userId}`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
