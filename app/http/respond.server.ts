import { FAILURES, type FailureCode, type FailureFamily } from '../config/failures'

/** Nothing that a signed-in person sees may be kept by a cache or outlive the session at that computer. */
export const PRIVATE = { 'Cache-Control': 'private, no-store' }

/** Whether a program asks: it gets JSON, people get pages. Routes are found in any letter case, so `/API/tasks` is one too. */
export function isForPrograms(request: Request): boolean {
  return /^\/api\//i.test(new URL(request.url).pathname)
}

/** A private JSON answer. */
export function json(value: unknown, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers)
  headers.set('Content-Type', 'application/json; charset=utf-8')
  headers.set('Cache-Control', PRIVATE['Cache-Control'])
  return new Response(JSON.stringify(value), { ...init, headers })
}

/** A failure as JSON, with its own status; `Retry-After` where waiting helps. */
export function failureResponse(code: FailureCode): Response {
  return json({ error: errorBody(code) }, { status: FAILURES[code].status, headers: waitHeaders(code) })
}

/** What a JSON answer has as its `error`. */
export function errorBody(code: FailureCode) {
  const { family, message } = FAILURES[code] as { family: FailureFamily; message: string }
  return { code, family, message, retryAfterSeconds: waitSeconds(code) }
}

/** `Retry-After`, for the failures where waiting helps. */
export function waitHeaders(code: FailureCode): Record<string, string> {
  const wait = waitSeconds(code)
  return wait === undefined ? {} : { 'Retry-After': String(wait) }
}

/** Seconds after which asking again is worth a try: a counter's whole minute, or until a few uploads have ended. */
function waitSeconds(code: FailureCode): number | undefined {
  return code === 'RATE_LIMITED' ? 60 : code === 'BUSY' ? 5 : undefined
}

/** Cookies as the headers of an answer, one line each. */
export function cookieHeaders(cookies: string[]): Headers {
  const headers = new Headers()
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return headers
}
