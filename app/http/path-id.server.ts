import * as z from 'zod'
import { data } from '@remix-run/cloudflare'
import { failureResponse, isForPrograms } from './respond.server'
import { failureText } from './task-view.server'

/** A path's id, or the answer "not found" thrown: what isn't a UUID can't be anybody's. */
export function pathId(request: Request, id: string | undefined): string {
  const parsed = z.uuid().safeParse(id)
  if (parsed.success) return parsed.data
  throw notFound(request)
}

/** Somebody else's and what doesn't exist answer alike. JSON for programs, the error page for people. */
export function notFound(request: Request) {
  if (isForPrograms(request)) return failureResponse('NOT_FOUND')
  return data(failureText('NOT_FOUND'), { status: 404 })
}
