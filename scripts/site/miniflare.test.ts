import process from 'node:process'
import { expect, it } from 'vitest'
import { startMiniflare } from './miniflare.mjs'

it('leaves nobody behind who would end the process at a signal, neither Miniflare nor what its options import', async () => {
  const listeners = () => (['SIGINT', 'SIGTERM'] as const).map((signal) => process.listeners(signal))
  const before = listeners()
  const miniflare = await startMiniflare(() => {
    process.on('SIGINT', () => process.exit(0))
    return Promise.resolve({ modules: true, script: 'export default { fetch: () => new Response(null) }' })
  })
  expect(listeners()).toEqual(before)
  await miniflare.dispose()
})
