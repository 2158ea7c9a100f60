import { createRequestHandler } from '@remix-run/cloudflare'
import * as build from '@remix-run/dev/server-build'
const handle = createRequestHandler(build as never)
export default { fetch: (request: Request, env: unknown, ctx: unknown) => handle(request, { env, ctx } as never) }
