import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { FilesPage } from '~/components/files-page'
import { pageTitle } from '~/components/wording'
import { deleteChosen, deletionStatus } from '~/http/file-deletion.server'
import { fileFailure } from '~/http/file-view.server'
import { filesPage } from '~/http/files-page.server'
import { requireReader, tooManyRequests } from '~/http/limited-user.server'
import { pathId } from '~/http/path-id.server'
import { requireUser } from '~/http/require-user.server'
import { countFileWrites } from '~/rate-limits/count.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Files') }]

/** The files, for the page that says why one wasn't deleted. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  return filesPage(request, context, user.id)
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireUser(request, context)
  if ((await countFileWrites(context.app, user.id)) !== 'ok') throw tooManyRequests(request)
  const fileId = pathId(request, params.fileId)
  const deletions = await deleteChosen(context.app, { userId: user.id, fileIds: [fileId] })
  const status = deletionStatus(deletions)
  if (status === 404) throw fileFailure('FILE_NOT_FOUND')
  return status === 303 ? redirect('/files', status) : data({ deletions }, { status })
}

/** Also after a refusal: what the page shows beside it must be what is there now. */
export const shouldRevalidate = () => true

export default function DeleteFile() {
  const deletions = useActionData<typeof action>()?.deletions
  return (
    <FilesPage {...useLoaderData<typeof loader>()} deletions={deletions} outcomes={null} problem={null} />
  )
}
