import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { DeleteFilesPage } from '~/components/delete-files-page'
import { FilesPage } from '~/components/files-page'
import { NOTHING_CHOSEN, pageTitle } from '~/components/wording'
import { findFiles } from '~/files/queries.server'
import { deleteChosen, deletionStatus } from '~/http/file-deletion.server'
import { fileFailure, fileRow } from '~/http/file-view.server'
import { chosenFiles, filesPage } from '~/http/files-page.server'
import { readForm } from '~/http/form.server'
import { requireReader, tooManyRequests } from '~/http/limited-user.server'
import { requireUser } from '~/http/require-user.server'
import { countFileWrites } from '~/rate-limits/count.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Delete files') }]

/** The chosen files, for the page that asks; without any the list, for the page that says what was deleted. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const query = new URL(request.url).searchParams
  if (!query.has('fileId')) return { chosen: null, page: await filesPage(request, context, user.id) }
  const fileIds = chosenFiles(query)
  if (!fileIds) throw fileFailure('INVALID_INPUT')
  const found = await findFiles(context.app, { userId: user.id, fileIds })
  const files = found.flatMap((each) => ('file' in each ? [fileRow(each.file)] : []))
  const missing = found.flatMap((each) => ('file' in each ? [] : [each.reason]))
  if (files.length === 0) throw fileFailure(missing[0] ?? 'FILE_NOT_FOUND')
  return { chosen: { files, missing: missing.length }, page: null }
}

/** Deletes each file by itself: one that can't be deleted keeps no other. Each counts as a write. */
export async function action({ request, context }: ActionFunctionArgs) {
  const user = await requireUser(request, context)
  const fileIds = chosenFiles(await readForm(request))
  const counted = await countFileWrites(context.app, user.id, fileIds?.length ?? 1)
  if (counted !== 'ok') throw tooManyRequests(request)
  if (!fileIds) throw fileFailure('INVALID_INPUT')
  const deletions = await deleteChosen(context.app, { userId: user.id, fileIds })
  const status = deletionStatus(deletions)
  return status === 303 ? redirect('/files', status) : data({ deletions }, { status })
}

/** Also after a refusal: what the page shows beside it must be what is there now. */
export const shouldRevalidate = () => true

export default function DeleteFiles() {
  const { chosen, page } = useLoaderData<typeof loader>()
  const deletions = useActionData<typeof action>()?.deletions
  if (chosen) return <DeleteFilesPage {...chosen} />
  return (
    <FilesPage {...page} deletions={deletions} outcomes={null} problem={deletions ? null : NOTHING_CHOSEN} />
  )
}
