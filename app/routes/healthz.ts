import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { databaseAnswers } from '~/http/health.server'

const NO_STORE = { 'Cache-Control': 'no-store' }

/** For whoever watches the site: 200 when the database answers, 503 otherwise. */
export async function loader({ context }: LoaderFunctionArgs) {
  if (await databaseAnswers(context.app)) return Response.json({ status: 'ok' }, { headers: NO_STORE })
  return Response.json({ status: 'unavailable' }, { status: 503, headers: NO_STORE })
}
