/** @type {import('@remix-run/dev').AppConfig} */
export default {
  // The classic compiler treats this file as the server: what it exports is build/index.js.
  server: './workers/fetch.ts',
  serverBuildPath: 'build/index.js',
  serverModuleFormat: 'esm',
  serverPlatform: 'neutral',
  serverConditions: ['workerd', 'worker', 'browser'],
  serverMainFields: ['browser', 'module', 'main'],
  // Packages stay imports here and are bundled once, by wrangler, for all four entries.
  serverDependenciesToBundle: [],
  serverMinify: false,
  postcss: true,
  tailwind: false,
  watchPaths: ['./workers/**/*'],
  ignoredRouteFiles: ['**/.*', '**/*.test.{ts,tsx}', '**/*.server.ts'],
  future: {
    v3_fetcherPersist: true,
    v3_lazyRouteDiscovery: false,
    v3_relativeSplatPath: true,
    v3_singleFetch: true,
    v3_throwAbortReason: true,
  },
}
