import type { ActionFunctionArgs } from '@remix-run/cloudflare'
import { requireTaskWriter } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { json } from '~/http/respond.server'
import { taskDetailJson } from '~/http/task-json.server'
import { cancelTask } from '~/tasks/cancellation.server'
import { getTask } from '~/tasks/queries.server'

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireTaskWriter(request, context)
  const own = { userId: user.id, taskId: pathId(request, params.taskId) }
  await cancelTask(context.app, own)
  const task = await getTask(context.app, own)
  if (!task) throw notFound(request)
  return json(taskDetailJson(task))
}
