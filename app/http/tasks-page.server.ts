import type { AppLoadContext } from '@remix-run/cloudflare'
import { TASK_STATUSES, type TaskStatus } from '../config/task-statuses'
import { findInputNames, taskOverview } from '../tasks/overview.server'
import { listTasks } from '../tasks/queries.server'
import { entityTagOf } from './conditional.server'
import { bulkReport, readBulk } from './task-bulk.server'
import { taskPageJson } from './task-json.server'
import { taskListRow } from './task-view.server'

/**
 * What the page of tasks shows; `INVALID_INPUT` for a broken cursor. Two statements, sent together, and one more for the
 * names in a report of what became of several tasks.
 */
export async function tasksPage(request: Request, { app }: AppLoadContext, userId: string) {
  const search = new URL(request.url).searchParams
  const place = {
    status: statusOf(search.get('status')),
    after: search.get('after'),
    before: search.get('before'),
  }
  const bulk = readBulk(search)
  const [page, overview, names] = await Promise.all([
    listTasks(app, { userId, ...place }),
    taskOverview(app, userId),
    findInputNames(app, { userId, taskIds: bulk.outcomes.map(({ taskId }) => taskId) }),
  ])
  if (page === 'INVALID_INPUT') return page
  const { status, after, before } = place
  const newest = !after && !before
  return {
    tasks: page.tasks.map(taskListRow),
    // Where people begin; on the way through the list each task stands in its own place.
    attention: newest && !status ? overview.attention.map(taskListRow) : [],
    counts: overview.counts,
    status,
    newer: page.previousCursor && hrefOf({ status, before: page.previousCursor }),
    older: page.nextCursor && hrefOf({ status, after: page.nextCursor }),
    bulk: bulkReport(bulk, names),
    /** Asked with this tag, it says cheaply whether this very page has changed. */
    probe: `/api${hrefOf(place)}`,
    tag: await entityTagOf(taskPageJson(page)),
  }
}

function statusOf(text: string | null): TaskStatus | null {
  return TASK_STATUSES.find((status) => status === text) ?? null
}

function hrefOf(place: Record<string, string | null>): string {
  const query = Object.entries(place).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return query.length > 0 ? `/tasks?${new URLSearchParams(query)}` : '/tasks'
}
