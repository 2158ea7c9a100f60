import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/cloudflare'
import { conditionalJson } from '~/http/conditional.server'
import { readJson } from '~/http/form.server'
import { requireReader, requireTaskWriter } from '~/http/limited-user.server'
import { failureResponse, json } from '~/http/respond.server'
import { idempotencyKeySchema, listSchema, submissionSchema } from '~/http/task-api.server'
import { taskDetailJson, taskPageJson } from '~/http/task-json.server'
import { getTask, listTasks } from '~/tasks/queries.server'
import { submitTask } from '~/tasks/submission.server'

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const search = listSchema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!search.success) return failureResponse('INVALID_INPUT')
  const page = await listTasks(context.app, { userId: user.id, ...search.data })
  if (page === 'INVALID_INPUT') return failureResponse('INVALID_INPUT')
  return conditionalJson(request, taskPageJson(page))
}

export async function action({ request, context }: ActionFunctionArgs) {
  const user = await requireTaskWriter(request, context)
  const requestKey = idempotencyKeySchema.safeParse(request.headers.get('Idempotency-Key'))
  const body = await readJson(request, submissionSchema)
  if (!requestKey.success || !body) return failureResponse('INVALID_INPUT')

  const submission = await submitTask(context.app, { userId: user.id, requestKey: requestKey.data, ...body })
  const { outcome, taskId } = submission
  if (outcome !== 'created' && outcome !== 'repeated') return failureResponse(outcome)
  const task = await getTask(context.app, { userId: user.id, taskId })
  if (!task) return failureResponse('NOT_FOUND')
  return json(taskDetailJson(task), { status: outcome === 'created' ? 201 : 200 })
}
