import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { findDownload } from '~/files/queries.server'
import { downloadResponse } from '~/http/download.server'
import { requireReader } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { failureResponse } from '~/http/respond.server'
import { getTaskStatus } from '~/tasks/queries.server'
import { hasEnded } from '~/config/task-statuses'

/** The bytes of a task's result: 409 while it is under way, 404 when it ended without one, 410 when it is gone. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const task = await getTaskStatus(context.app, { userId: user.id, taskId: pathId(request, params.taskId) })
  if (!task) throw notFound(request)
  if (!hasEnded(task.status)) return failureResponse('NOT_FINISHED')
  if (!task.result) throw notFound(request)
  const file = await findDownload(context.app, { userId: user.id, fileId: task.result.fileId })
  const response = typeof file === 'string' ? null : await downloadResponse(context.app, file, request)
  return response ?? failureResponse('RESULT_EXPIRED')
}
