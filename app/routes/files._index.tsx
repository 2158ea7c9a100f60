import {
  data,
  redirect,
  type ActionFunctionArgs,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { FilesPage } from '~/components/files-page'
import { pageTitle } from '~/components/wording'
import { FAILURES } from '~/config/failures'
import { uploadFailureText } from '~/http/file-view.server'
import { filesPage } from '~/http/files-page.server'
import { requireReader } from '~/http/limited-user.server'
import { requireUser } from '~/http/require-user.server'
import { waitHeaders } from '~/http/respond.server'
import { receiveUpload } from '~/http/upload-form.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Files') }]

/** Remix drops the headers of a page's answer unless its route asks for them: `Retry-After` is one. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  return filesPage(request, context, user.id)
}

/** An upload. Each file counts as one write and has an outcome of its own; the good ones are kept. */
export async function action({ request, context }: ActionFunctionArgs) {
  const user = await requireUser(request, context)
  const { outcomes, failure } = await receiveUpload(request, context, user.id)
  if (!failure) return redirect('/files', 303)
  return data(
    { outcomes: outcomes.length > 0 ? outcomes : null, problem: uploadFailureText(failure) },
    { status: FAILURES[failure].status, headers: waitHeaders(failure) },
  )
}

/** Also after a refusal: what the page shows beside it must be what is there now. */
export const shouldRevalidate = () => true

export default function Files() {
  const reply = useActionData<typeof action>()
  return (
    <FilesPage
      {...useLoaderData<typeof loader>()}
      outcomes={reply?.outcomes ?? null}
      problem={reply?.problem ?? null}
    />
  )
}
