import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { readPreview } from '~/files/preview.server'
import { findDownload } from '~/files/queries.server'
import { previewView } from '~/http/file-view.server'
import { requireReader } from '~/http/limited-user.server'
import { pathId } from '~/http/path-id.server'
import { failureResponse, json } from '~/http/respond.server'

/** How an own file begins, as its page shows it. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const file = await findDownload(context.app, { userId: user.id, fileId: pathId(request, params.fileId) })
  if (typeof file === 'string') return failureResponse(file)
  const preview = await readPreview(context.app, file)
  return preview ? json(previewView(preview, file.size)) : failureResponse('FILE_NOT_FOUND')
}
