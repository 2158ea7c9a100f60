import { createRequestHandler, type AppLoadContext } from '@remix-run/cloudflare'
import * as build from '@remix-run/dev/server-build'
import '~/http/load-context'
import { plainFailure } from '~/http/plain-page.server'
import { addSecurityHeaders } from '~/http/security-headers.server'
import { openContext, type Invocation } from '~/invocation.server'
import { describeError, logToConsole } from '~/log.server'

const handle = createRequestHandler(build, process.env.NODE_ENV)

export default {
  /** A person's or a program's request. Every mutation's `Origin` is checked before anything of it is read. */
  async fetch(request: Request, platformEnv: unknown, execution: ExecutionContext): Promise<Response> {
    let invocation: Invocation
    try {
      invocation = openContext(platformEnv)
    } catch (error) {
      // The message names settings, never values, and is what an operator needs first.
      console.error(error instanceof Error ? error.message : 'the environment could not be read')
      return plainFailure(request, 'NOT_CONFIGURED')
    }
    const { env } = invocation
    const nonce = crypto.randomUUID()
    const secure = env.APP_ORIGIN.startsWith('https:')

    const answer = isForeignMutation(request, env.APP_ORIGIN)
      ? plainFailure(request, 'BAD_ORIGIN')
      : await answerWith(request, invocation, nonce, execution)
    const response = closeAfter(answer, invocation, execution)
    addSecurityHeaders(response.headers, { nonce, secure })
    return response
  },
}

/** A missing `Origin` is as wrong as a foreign one: browsers send it with every form, and scripts are told to. */
function isForeignMutation(request: Request, origin: string): boolean {
  if (request.method === 'GET' || request.method === 'HEAD') return false
  return request.headers.get('Origin') !== origin
}

async function answerWith(
  request: Request,
  { app, env }: Invocation,
  cspNonce: string,
  execution: ExecutionContext,
): Promise<Response> {
  const context: AppLoadContext = { app, env, cspNonce, waitUntil: (promise) => execution.waitUntil(promise) }
  try {
    return await handle(forRemix(request, env.APP_ORIGIN), context)
  } catch (error) {
    logToConsole('request.failed', { path: new URL(request.url).pathname, ...describeError(error) })
    return plainFailure(request, 'UNEXPECTED')
  }
}

/**
 * Remix compares `Origin` with the host header once more, which is another one behind a proxy or in the local runtime. Ours
 * has been compared with the site's own origin: that is the host, whatever a client says.
 */
function forRemix(request: Request, origin: string): Request {
  if (request.method === 'GET' || request.method === 'HEAD') return request
  const headers = new Headers(request.headers)
  headers.set('X-Forwarded-Host', new URL(origin).host)
  return new Request(request, { headers })
}

/** The same answer with headers that can be added to; the database is closed once its body has been sent or given up. */
function closeAfter(answer: Response, { close }: Invocation, execution: ExecutionContext): Response {
  if (!answer.body) {
    execution.waitUntil(close())
    return new Response(null, answer)
  }
  const { readable, writable } = new IdentityTransformStream()
  execution.waitUntil(
    answer.body
      .pipeTo(writable)
      .catch(() => {})
      .then(close),
  )
  return new Response(readable, answer)
}
