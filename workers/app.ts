// @ts-expect-error made by the Remix build
import server from '../build/index.js'
export default { fetch: server.fetch }
