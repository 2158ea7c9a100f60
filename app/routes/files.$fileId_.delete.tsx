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
import { FAILURES } from '~/config/failures'
import { deleteFile } from '~/files/deletion.server'
import { filesPage } from '~/http/files-page.server'
import { requireReader, tooManyRequests } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'
import { requireUser } from '~/http/require-user.server'
import { failureText } from '~/http/task-view.server'
import { countFileWrites } from '~/rate-limits/count.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Files') }]

/** The files, for the page that says why one wasn't deleted. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const page = await filesPage(request, context, user.id)
  if (page === 'INVALID_INPUT') throw data(failureText('INVALID_INPUT'), { status: 400 })
  return page
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireUser(request, context)
  if ((await countFileWrites(context.app, user.id)) !== 'ok') throw tooManyRequests(request)
  const fileId = pathId(request, params.fileId)
  const deletion = await deleteFile(context.app, { userId: user.id, fileId })
  if (deletion.outcome === 'deleted') return redirect('/files', 303)
  if (deletion.outcome === 'FILE_NOT_FOUND') throw notFound(request)
  return data({ problem: failureText(deletion.outcome) }, { status: FAILURES[deletion.outcome].status })
}

/** Also after a refusal: what the page shows beside it must be what is there now. */
export const shouldRevalidate = () => true

export default function DeleteFile() {
  const problem = useActionData<typeof action>()?.problem ?? null
  return <FilesPage {...useLoaderData<typeof loader>()} outcomes={null} problem={problem} />
}
