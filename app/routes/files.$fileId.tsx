import { data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/cloudflare'
import { useLoaderData } from '@remix-run/react'
import { FilePage } from '~/components/file-page'
import { shortName, visibleName } from '~/components/visible-name'
import { pageTitle } from '~/components/wording'
import { readPreview } from '~/files/preview.server'
import { findDownload } from '~/files/queries.server'
import { fileFailure, fileRow, previewView } from '~/http/file-view.server'
import { requireReader } from '~/http/limited-user.server'
import { pathId } from '~/http/path-id.server'

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: pageTitle(data ? shortName(visibleName(data.file.name)) : 'File') },
]

/** An own file and how it begins. */
export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const file = await findDownload(context.app, { userId: user.id, fileId: pathId(request, params.fileId) })
  if (typeof file === 'string') throw fileFailure(file)
  const preview = await readPreview(context.app, file)
  if (!preview) throw fileFailure('FILE_NOT_FOUND')
  return data({ file: fileRow(file), preview: previewView(preview, file.size) })
}

export default function File() {
  return <FilePage {...useLoaderData<typeof loader>()} />
}
