import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/cloudflare'
import { requireTaskWriter } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { cancelTask } from '~/tasks/cancellation.server'

/** Reached by reloading after a refusal: the task's own page is what there is to see. */
export function loader({ request, params }: LoaderFunctionArgs) {
  return redirect(`/tasks/${pathId(request, params.taskId)}`, 303)
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireTaskWriter(request, context)
  const taskId = pathId(request, params.taskId)
  if ((await cancelTask(context.app, { userId: user.id, taskId })) === 'NOT_FOUND') throw notFound(request)
  return redirect(`/tasks/${taskId}`, 303)
}
