import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { conditionalJson } from '~/http/conditional.server'
import { requireReader } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { taskStatusJson } from '~/http/task-json.server'
import { getTaskStatus } from '~/tasks/queries.server'

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const task = await getTaskStatus(context.app, { userId: user.id, taskId: pathId(request, params.taskId) })
  if (!task) throw notFound(request)
  return conditionalJson(request, taskStatusJson(task))
}
