import { expect, it } from 'vitest'
import { site } from '../config/site'
import { testContext } from './context'
import { testDatabase } from './database'

const database = testDatabase()
const message = { taskId: '01890000-0000-7000-8000-000000000001', dispatchVersion: 1 }

it('remembers what was sent, with its delay, and nothing of a send that failed', async () => {
  const ctx = await testContext(database)
  ctx.failNextSends(1)
  await expect(ctx.queue!.send(message)).rejects.toThrow('not reachable')
  await ctx.queue!.send(message, { delaySeconds: 30 })
  await ctx.queue!.sendBatch([{ body: { ...message, dispatchVersion: 2 } }])
  expect(ctx.sent).toEqual([
    { ...message, delaySeconds: 30 },
    { ...message, dispatchVersion: 2 },
  ])
})

it('moves a clock that several contexts share', async () => {
  const clock = { now: new Date('2026-03-01T12:00:00Z') }
  const [one, other] = [await testContext(database, { clock }), await testContext(database, { clock })]
  one.advance(90_000)
  expect(other.clock.now).toEqual(new Date('2026-03-01T12:01:30Z'))
})

it('refuses to move the database’s own clock', async () => {
  const ctx = await testContext(database)
  expect(() => ctx.advance(1)).toThrow('own clock')
})

it('gives settings that a test may change without a trace', async () => {
  const ctx = await testContext(database)
  ctx.site.tasks.maxActive = 1
  expect((await testContext(database)).site.tasks.maxActive).toBe(site.tasks.maxActive)
})

it('stands in for a site without bindings', async () => {
  const ctx = await testContext(database, { storage: null, queue: null })
  expect([ctx.storage, ctx.queue]).toEqual([null, null])
})
