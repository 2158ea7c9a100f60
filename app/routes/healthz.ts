import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { describeError } from '~/log.server'

const NO_STORE = { 'Cache-Control': 'no-store' }

/** For whoever watches the site: 200 when the database answers, 503 otherwise. */
export async function loader({ context }: LoaderFunctionArgs) {
  try {
    await context.app.db.$client`select 1`
    return Response.json({ status: 'ok' }, { headers: NO_STORE })
  } catch (error) {
    context.app.log('healthz.database', describeError(error))
    return Response.json({ status: 'unavailable' }, { status: 503, headers: NO_STORE })
  }
}
