import { FAILURES, type FailureCode } from '../config/failures'
import { failureResponse } from './respond.server'

/** A failure outside of every route, where no page can be rendered any more: JSON for programs, else a page without a shell. */
export function plainFailure(request: Request, code: FailureCode): Response {
  if (new URL(request.url).pathname.startsWith('/api/')) return failureResponse(code)
  const { status, message, next } = FAILURES[code]
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title></head>
<body><h1>${message}</h1><p>${next}</p><p><a href="/tasks">Your tasks</a></p></body>
</html>`
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}
