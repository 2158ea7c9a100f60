import type { Environment } from '../config/environment.server'
import type { AppContext } from '../context.server'

/** What `workers/fetch.ts` gives to every loader and action of one request. */
declare module '@remix-run/cloudflare' {
  /** Loaders and actions answer with plain values, typed as they are. */
  interface Future {
    v3_singleFetch: true
  }
  interface AppLoadContext {
    app: AppContext
    env: Environment
    /** The one value that the request's own scripts carry. */
    cspNonce: string
    /** Lets work go on after the response. */
    waitUntil: (promise: Promise<unknown>) => void
  }
}
