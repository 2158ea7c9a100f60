import { redirect, type ActionFunctionArgs } from '@remix-run/cloudflare'
import { endOtherSessions } from '~/auth/session.server'
import { requireAccountWriter } from '~/http/limited-user.server'

/** Following a link changes nothing. */
export function loader() {
  return redirect('/account', 303)
}

export async function action({ request, context }: ActionFunctionArgs) {
  await endOtherSessions(context.app, await requireAccountWriter(request, context))
  return redirect('/account', 303)
}
