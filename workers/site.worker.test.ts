import { expect, test } from 'vitest'
import { testDatabase } from '~/testing/database'
import { testSite } from '~/testing/site'
import { walkThrough } from '../scripts/site/walk-through.mjs'

const database = testDatabase()
const site = testSite(database)

test('the main job works over HTTP, also after the Worker was killed', async () => {
  await walkThrough(site.origin, { log: () => {} })
  await site.killWorker()
  await site.restartWorker()
  await walkThrough(site.origin, { log: () => {} })
})

test('the minute’s round of maintenance throws nothing', async () => {
  expect(await site.runCron()).toBe('ok')
})
