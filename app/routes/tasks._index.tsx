import { data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/cloudflare'
import { useLoaderData } from '@remix-run/react'
import { TasksPage } from '~/components/tasks-page'
import { pageTitle } from '~/components/wording'
import { failureText, taskRow } from '~/http/task-view.server'
import { requireReader } from '~/http/limited-user.server'
import { listTasks } from '~/tasks/queries.server'
import { TASK_STATUSES, type TaskStatus } from '~/config/task-statuses'

export const meta: MetaFunction = () => [{ title: pageTitle('Tasks') }]

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const search = new URL(request.url).searchParams
  const status = parseStatus(search.get('status'))
  const page = await listTasks(context.app, {
    userId: user.id,
    status,
    after: search.get('after'),
    before: search.get('before'),
  })
  if (page === 'INVALID_INPUT') {
    const problem = failureText('INVALID_INPUT')
    return data({ tasks: [], status, newer: null, older: null, problem }, { status: 400 })
  }
  const href = (direction: 'after' | 'before', cursor: string | null) =>
    cursor && `/tasks?${new URLSearchParams({ ...(status && { status }), [direction]: cursor })}`
  return data({
    tasks: page.tasks.map(taskRow),
    status,
    newer: href('before', page.previousCursor),
    older: href('after', page.nextCursor),
    problem: null,
  })
}

function parseStatus(text: string | null): TaskStatus | null {
  return TASK_STATUSES.find((status) => status === text) ?? null
}

export default function Tasks() {
  return <TasksPage {...useLoaderData<typeof loader>()} />
}
