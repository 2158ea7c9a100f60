import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { requireReader } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { json } from '~/http/respond.server'
import { taskDetailJson } from '~/http/task-json.server'
import { getTask } from '~/tasks/queries.server'

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const task = await getTask(context.app, { userId: user.id, taskId: pathId(request, params.taskId) })
  if (!task) throw notFound(request)
  return json(taskDetailJson(task))
}
