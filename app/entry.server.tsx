import type { AppLoadContext, EntryContext, HandleErrorFunction } from '@remix-run/cloudflare'
import { isRouteErrorResponse, RemixServer } from '@remix-run/react'
import { isbot } from 'isbot'
import { renderToReadableStream } from 'react-dom/server'
import { NonceContext } from './components/nonce'
import { describeError, logToConsole } from './log.server'

/** A page that isn't complete after this long is sent as it is. */
const RENDER_TIMEOUT_MS = 5_000

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { cspNonce }: AppLoadContext,
) {
  let statusCode = status
  const body = await renderToReadableStream(
    <NonceContext.Provider value={cspNonce}>
      <RemixServer context={remixContext} url={request.url} nonce={cspNonce} abortDelay={RENDER_TIMEOUT_MS} />
    </NonceContext.Provider>,
    {
      nonce: cspNonce,
      signal: AbortSignal.timeout(RENDER_TIMEOUT_MS),
      onError(error) {
        statusCode = 500
        logToConsole('render.failed', { path: new URL(request.url).pathname, ...describeError(error) })
      },
    },
  )
  if (isbot(request.headers.get('User-Agent'))) await body.allReady
  headers.set('Content-Type', 'text/html; charset=utf-8')
  return new Response(body, { status: statusCode, headers })
}

/** Unexpected errors of loaders and actions. An aborted request and an answer such as 404 are none. */
export const handleError: HandleErrorFunction = (error, { request }) => {
  if (request.signal.aborted || isRouteErrorResponse(error)) return
  logToConsole('request.failed', { path: new URL(request.url).pathname, ...describeError(error) })
}
