import type { ActionFunctionArgs } from '@remix-run/cloudflare'
import { readJson } from '~/http/form.server'
import { requireTaskWriter } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { failureResponse, json } from '~/http/respond.server'
import { retrySchema } from '~/http/task-api.server'
import { taskDetailJson } from '~/http/task-json.server'
import { getTask } from '~/tasks/queries.server'
import { retryTask } from '~/tasks/retry.server'

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireTaskWriter(request, context)
  const own = { userId: user.id, taskId: pathId(request, params.taskId) }
  const body = await readJson(request, retrySchema)
  if (!body) return failureResponse('INVALID_INPUT')
  const outcome = await retryTask(context.app, { ...own, ...body })
  if (outcome !== 'retried' && outcome !== 'repeated') return failureResponse(outcome)
  const task = await getTask(context.app, own)
  if (!task) throw notFound(request)
  return json(taskDetailJson(task))
}
