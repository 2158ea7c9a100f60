import { data, type AppLoadContext } from '@remix-run/cloudflare'
import { countAccountWrites, countRead, countTaskWrites } from '../rate-limits/count.server'
import { requireUser, type SignedInUser } from './require-user.server'
import { failureResponse, isForPrograms, waitHeaders } from './respond.server'
import { failureText } from './task-view.server'

/** The signed-in person, with this request counted as `items` reads. Over the limit: throws the 429 answer. */
export async function requireReader(
  request: Request,
  context: AppLoadContext,
  items = 1,
): Promise<SignedInUser> {
  const user = await requireUser(request, context)
  if ((await countRead(context.app, user.id, items)) !== 'ok') throw tooManyRequests(request)
  return user
}

/** The signed-in person, with this request counted as `items` writes of tasks. Over the limit: throws the 429 answer. */
export async function requireTaskWriter(
  request: Request,
  context: AppLoadContext,
  items = 1,
): Promise<SignedInUser> {
  const user = await requireUser(request, context)
  if ((await countTaskWrites(context.app, user.id, items)) !== 'ok') throw tooManyRequests(request)
  return user
}

/** The signed-in person, with this request counted as one change of the account. Over the limit: throws the 429 answer. */
export async function requireAccountWriter(request: Request, context: AppLoadContext): Promise<SignedInUser> {
  const user = await requireUser(request, context)
  if ((await countAccountWrites(context.app, user.id)) !== 'ok') throw tooManyRequests(request)
  return user
}

/** JSON for programs, the error page for people. */
export function tooManyRequests(request: Request) {
  if (isForPrograms(request)) return failureResponse('RATE_LIMITED')
  return data(failureText('RATE_LIMITED'), { status: 429, headers: waitHeaders('RATE_LIMITED') })
}
