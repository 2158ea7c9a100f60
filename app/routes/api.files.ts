import type { ActionFunctionArgs } from '@remix-run/cloudflare'
import { FAILURES } from '~/config/failures'
import { requireUser } from '~/http/require-user.server'
import { errorBody, json, waitHeaders } from '~/http/respond.server'
import { receiveUpload } from '~/http/upload-form.server'

/** The same form as `POST /files`, answered as JSON: 201 when every file is kept, else the first failure's status. */
export async function action({ request, context }: ActionFunctionArgs) {
  const user = await requireUser(request, context)
  const { outcomes, failure } = await receiveUpload(request, context, user.id)
  if (!failure) return json({ outcomes }, { status: 201 })
  return json(
    { outcomes, error: { ...errorBody(failure), next: FAILURES[failure].next } },
    { status: FAILURES[failure].status, headers: waitHeaders(failure) },
  )
}
