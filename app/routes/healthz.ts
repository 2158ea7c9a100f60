import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { describeError } from '~/log.server'

/** A database that hangs is as bad as none: whoever watches has to hear of it before their own patience ends. */
const PATIENCE_MS = 3_000

const NO_STORE = { 'Cache-Control': 'no-store' }

/** For whoever watches the site: 200 when the database answers, 503 otherwise. */
export async function loader({ context }: LoaderFunctionArgs) {
  try {
    await Promise.race([context.app.db.$client`select 1`, patienceEnds()])
    return Response.json({ status: 'ok' }, { headers: NO_STORE })
  } catch (error) {
    context.app.log('healthz.database', describeError(error))
    return Response.json({ status: 'unavailable' }, { status: 503, headers: NO_STORE })
  }
}

async function patienceEnds(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  throw new Error('the database is too slow')
}
