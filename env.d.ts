/// <reference types="@remix-run/react/future/single-fetch.d.ts" />

/** Remix's build of `workers/fetch.ts`, for as long as nothing has been built. */
declare module '*/build/index.js' {
  const server: { fetch: (request: Request, env: unknown, execution: ExecutionContext) => Promise<Response> }
  export default server
}
