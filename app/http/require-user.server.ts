import { redirect, type AppLoadContext } from '@remix-run/cloudflare'
import { readSession, type SignedInUser } from '../auth/session.server'
import { failureResponse, isForPrograms } from './respond.server'

export type { SignedInUser }

/** One look at the session for each request, however many loaders ask. */
const asked = new WeakMap<AppLoadContext, Promise<SignedInUser | null>>()

/** Whose request this is; null without a session. One statement a request. */
export function getUser(request: Request, context: AppLoadContext): Promise<SignedInUser | null> {
  const known = asked.get(context)
  if (known) return known
  const user = readSession(context.app, context.env, request.headers.get('Cookie'))
  asked.set(context, user)
  return user
}

/** Whose request this is. Without a session it throws the answer: 401 for programs, for people the way to sign in and back. */
export async function requireUser(request: Request, context: AppLoadContext): Promise<SignedInUser> {
  const user = await getUser(request, context)
  if (user) return user
  if (isForPrograms(request)) throw failureResponse('UNAUTHENTICATED')
  const { pathname, search } = new URL(request.url)
  // What was to be changed can't be repeated by following a link: people come back to the page that it belongs to.
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const back = reads ? pathname + search : pageOf(pathname, search)
  throw redirect(`/login?${new URLSearchParams({ redirectTo: back })}`, 303)
}

/**
 * The page that a form belongs to: `/tasks/<id>/cancel` → `/tasks/<id>`, `/files/<id>/delete` → `/files`. What stands in
 * the URL stays, such as a new task's request key; without the `?index` that Remix adds to tell routes apart.
 */
function pageOf(pathname: string, search: string): string {
  const page = pathname.replace(/^\/(files|account)\/.*/, '/$1').replace(/\/(cancel|retry|give-up)$/, '')
  return page + search.replace(/^\?index&?/, '?').replace(/^\?$/, '')
}
