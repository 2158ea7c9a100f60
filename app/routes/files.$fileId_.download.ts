import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { findDownload } from '~/files/queries.server'
import { downloadResponse } from '~/http/download.server'
import { requireReader } from '~/http/limited-user.server'
import { pathId } from '~/http/path-id.server'
import { plainFailure } from '~/http/plain-page.server'

/** The bytes of an own file. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const file = await findDownload(context.app, { userId: user.id, fileId: pathId(request, params.fileId) })
  if (typeof file === 'string') return plainFailure(request, file)
  return (await downloadResponse(context.app, file, request)) ?? plainFailure(request, 'FILE_NOT_FOUND')
}
