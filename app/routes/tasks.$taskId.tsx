import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useLoaderData } from '@remix-run/react'
import { TaskPage } from '~/components/task-page'
import { pageTitle, taskTitle } from '~/components/wording'
import { entityTagOf } from '~/http/conditional.server'
import { requireReader } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { taskStatusJson } from '~/http/task-json.server'
import { taskView } from '~/http/task-view.server'
import { getTask } from '~/tasks/queries.server'
import { hasEnded } from '~/config/task-statuses'

/** Seconds between two looks at a running task where there is no JavaScript. */
const REFRESH_SECONDS = 3

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? taskTitle(data.task) : pageTitle('Task') },
]

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const task = await getTask(context.app, { userId: user.id, taskId: pathId(request, params.taskId) })
  if (!task) throw notFound(request)
  const refresh = new URL(request.url).searchParams.get('refresh') !== 'off'
  return {
    task: taskView(task),
    tag: await entityTagOf(taskStatusJson(task)),
    refresh,
    refreshSeconds: refresh && !hasEnded(task.status) ? REFRESH_SECONDS : null,
  }
}

export default function Task() {
  const { task, tag, refresh } = useLoaderData<typeof loader>()
  return <TaskPage task={task} tag={tag} refresh={refresh} problem={null} />
}
