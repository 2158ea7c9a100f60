import { data, redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { TaskPage } from '~/components/task-page'
import { FAILURES } from '~/config/failures'
import { entityTagOf } from '~/http/conditional.server'
import { readForm } from '~/http/form.server'
import { requireReader, requireTaskWriter } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { parseRetryForm } from '~/http/task-form.server'
import { taskStatusJson } from '~/http/task-json.server'
import { failureText, taskView } from '~/http/task-view.server'
import { getTask } from '~/tasks/queries.server'
import { retryTask } from '~/tasks/retry.server'

/** The task as it stands, for the page that says why a retry was refused. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const task = await getTask(context.app, { userId: user.id, taskId: pathId(request, params.taskId) })
  if (!task) throw notFound(request)
  return { task: taskView(task), tag: await entityTagOf(taskStatusJson(task)) }
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireTaskWriter(request, context)
  const taskId = pathId(request, params.taskId)
  const form = parseRetryForm(await readForm(request))
  if (!form) return data({ problem: failureText('INVALID_INPUT') }, { status: 400 })
  const outcome = await retryTask(context.app, { userId: user.id, taskId, ...form })
  if (outcome === 'NOT_FOUND') throw notFound(request)
  if (outcome === 'retried' || outcome === 'repeated') return redirect(`/tasks/${taskId}`, 303)
  return data({ problem: failureText(outcome) }, { status: FAILURES[outcome].status })
}

/** Also after a refusal: what the page shows beside it must be what is there now. */
export const shouldRevalidate = () => true

export default function Retry() {
  const problem = useActionData<typeof action>()?.problem ?? null
  return <TaskPage {...useLoaderData<typeof loader>()} refresh={false} problem={problem} />
}
