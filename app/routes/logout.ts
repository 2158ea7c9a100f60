import { redirect, type ActionFunctionArgs } from '@remix-run/cloudflare'
import { logOut } from '~/auth/accounts.server'
import { cookieHeaders } from '~/http/respond.server'

/** Following a link changes nothing. */
export function loader() {
  return redirect('/', 303)
}

export async function action({ request, context }: ActionFunctionArgs) {
  const cookies = await logOut(context.app, context.env, request.headers.get('Cookie'))
  return redirect('/', { status: 303, headers: cookieHeaders(cookies) })
}
