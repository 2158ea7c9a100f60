import { createRequestHandler, logDevReady, type AppLoadContext } from '@remix-run/cloudflare'
import * as build from '@remix-run/dev/server-build'
import { discardUnread } from '~/http/body.server'
import '~/http/load-context'
import { inOwnWords, plainFailure } from '~/http/plain-page.server'
import { withSecurityHeaders } from '~/http/security-headers.server'
import { openContext, type Invocation } from '~/invocation.server'
import { describeError, logToConsole } from '~/log.server'

const handle = createRequestHandler(build, process.env.NODE_ENV)

// `npm run dev`: tells the compiler that its new build is being served, so that browsers load it.
if (process.env.NODE_ENV === 'development') logDevReady(build)

export default {
  /** A person's or a program's request. Every mutation's `Origin` is checked before anything of it is read. */
  async fetch(request: Request, platformEnv: unknown, execution: ExecutionContext): Promise<Response> {
    const nonce = crypto.randomUUID()
    const secure = new URL(request.url).protocol === 'https:'
    let invocation: Invocation
    try {
      invocation = openContext(platformEnv)
    } catch (error) {
      // The message names settings, never values, and is what an operator needs first.
      console.error(error instanceof Error ? error.message : 'the environment could not be read')
      await discardUnread(request)
      return withSecurityHeaders(plainFailure(request, 'NOT_CONFIGURED'), { nonce, secure })
    }
    const { env } = invocation
    const foreign = isForeignMutation(request, env.APP_ORIGIN)
    // It takes the body over: whether that was read is to be seen here only.
    const asked = foreign ? request : forRemix(request, env.APP_ORIGIN)
    const answer = foreign
      ? plainFailure(asked, 'BAD_ORIGIN')
      : await answerWith(asked, invocation, nonce, execution)
    await discardUnread(asked)
    return withSecurityHeaders(closeAfter(answer, invocation, execution), {
      nonce,
      secure: env.APP_ORIGIN.startsWith('https:'),
    })
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
    return inOwnWords(request, await handle(request, context))
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

/**
 * The same answer; the database is closed when nothing can need it any more. Pages and their data may still wait for it
 * while they are sent. Everything else is ready before: a slow download must not hold one of the database's connections.
 */
function closeAfter(answer: Response, invocation: Invocation, execution: ExecutionContext): Response {
  const mayStillRead = /^text\/(html|x-script)/.test(answer.headers.get('Content-Type') ?? '')
  if (!answer.body || !mayStillRead) {
    execution.waitUntil(closeQuietly(invocation))
    return answer
  }
  const { readable, writable } = new IdentityTransformStream()
  const sent = answer.body.pipeTo(writable).catch(() => {}) // whoever asked has gone
  execution.waitUntil(sent.then(() => closeQuietly(invocation)))
  return new Response(readable, answer)
}

async function closeQuietly({ app, close }: Invocation): Promise<void> {
  try {
    await close()
  } catch (error) {
    app.log('database.close_failed', describeError(error))
  }
}
