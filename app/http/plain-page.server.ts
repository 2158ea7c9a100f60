import { FAILURES, type FailureCode } from '../config/failures'
import { failureResponse, isForPrograms, waitHeaders } from './respond.server'

/**
 * A failure outside of every route, where no page can be rendered any more: JSON for programs, else a page without a shell.
 * `detail` is what there is to say besides the failure's own text.
 */
export function plainFailure(request: Request, code: FailureCode, detail = ''): Response {
  if (isForPrograms(request)) return failureResponse(code)
  const { status, message, next } = FAILURES[code]
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title></head>
<body><h1>${message}</h1><p>${next}</p>${detail && `<p>${escaped(detail)}</p>`}<p><a href="/tasks">Your tasks</a> <a href="/files">Your files</a></p></body>
</html>`
  return new Response(html, {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...waitHeaders(code) },
  })
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * The same answer, unless it is one that Remix made of something that went wrong where no page is rendered (a route
 * without a component, a path or method that no route has): then our own failure, as people and programs know it.
 */
export function inOwnWords(request: Request, answer: Response): Response {
  if (answer.status < 400 || !isRemixOwn(request, answer)) return answer
  if (answer.status >= 500) return plainFailure(request, 'UNEXPECTED')
  return plainFailure(request, answer.status === 429 ? 'RATE_LIMITED' : 'NOT_FOUND')
}

function isRemixOwn(request: Request, answer: Response): boolean {
  if (answer.headers.has('X-Remix-Error')) return true
  const type = answer.headers.get('Content-Type') ?? ''
  // Its last resort; and the error page, which is of no use to a program.
  return (
    (type === 'text/plain' && answer.status === 500) ||
    (type.startsWith('text/html') && isForPrograms(request))
  )
}
