import { redirect, type ActionFunctionArgs } from '@remix-run/cloudflare'
import { endOwnSession } from '~/auth/session.server'
import { requireAccountWriter } from '~/http/limited-user.server'
import { notFound, pathId } from '~/http/path-id.server'

/** Following a link changes nothing. */
export function loader() {
  return redirect('/account', 303)
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const user = await requireAccountWriter(request, context)
  const sessionId = pathId(request, params.sessionId)
  if ((await endOwnSession(context.app, user.id, sessionId)) === 'NOT_FOUND') throw notFound(request)
  return redirect('/account', 303)
}
