import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AppContext } from '../context.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { countFileWrites, countRead, countRequests, countTaskWrites, pruneCounters } from './count.server'

const database = testDatabase()
const MINUTE_STARTS = new Date('2026-03-01T12:00:00.000Z')

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: MINUTE_STARTS } })
})
beforeEach(async () => {
  ctx.clock.now = MINUTE_STARTS
  await ctx.db.$client`delete from rate_limit`
})

const count = (overrides: Partial<Parameters<typeof countRequests>[1]> = {}, on: AppContext = ctx) =>
  countRequests(on, { scope: 'test', subject: 'ada', limit: 3, ...overrides })

async function counts(times: number): Promise<string[]> {
  const answers: string[] = []
  for (let each = 0; each < times; each++) answers.push(await count())
  return answers
}

describe('a limit', () => {
  test('lets as many through as it says, and no more', async () => {
    expect(await counts(5)).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  test('is for one subject and one scope', async () => {
    await counts(4)
    expect(await count({ subject: 'eve' })).toBe('ok')
    expect(await count({ scope: 'other' })).toBe('ok')
    expect(await count()).toBe('RATE_LIMITED')
  })

  test('holds to the last millisecond of the minute, and begins anew with the next', async () => {
    await counts(3)
    ctx.advance(59_999)
    expect(await count()).toBe('RATE_LIMITED')
    ctx.advance(1)
    expect(await counts(4)).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED'])
  })

  test('counts what is refused as well, so that asking without a pause gets nobody through', async () => {
    await counts(10)
    const [row] = await ctx.db.$client`select count from rate_limit`
    expect(row).toEqual({ count: 10 })
  })

  test('counts several items of one request as so many', async () => {
    expect(await count({ by: 3 })).toBe('ok')
    expect(await count()).toBe('RATE_LIMITED')
    expect(await count({ subject: 'eve', by: 4 })).toBe('RATE_LIMITED')
  })

  test('is not begun anew by a request of the minute before that counts last', async () => {
    ctx.advance(60_000)
    await counts(3)
    ctx.advance(-1)
    expect(await count()).toBe('RATE_LIMITED')
    ctx.advance(1)
    expect(await count()).toBe('RATE_LIMITED')
  })
})

test('of twenty requests at once, on connections of their own, as many as the limit get through', async () => {
  const db = database.connect({ connections: 20 })
  const others: AppContext = { ...ctx, db }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => count({ subject: 'crowd', limit: 7 }, others)),
  )
  expect(answers.filter((answer) => answer === 'ok')).toHaveLength(7)
  const [row] = await ctx.db.$client`select count from rate_limit where subject = 'crowd'`
  expect(row).toEqual({ count: 20 })
})

test('reads, writes of tasks and writes of files have limits of their own, from the site’s settings', async () => {
  ctx.site.tasks.readsPerMinute = 1
  ctx.site.tasks.writesPerMinute = 2
  ctx.site.files.writesPerMinute = 3
  expect([await countRead(ctx, 'ada'), await countRead(ctx, 'ada')]).toEqual(['ok', 'RATE_LIMITED'])
  expect([await countTaskWrites(ctx, 'ada', 2), await countTaskWrites(ctx, 'ada')]).toEqual([
    'ok',
    'RATE_LIMITED',
  ])
  expect([await countFileWrites(ctx, 'ada', 3), await countFileWrites(ctx, 'ada')]).toEqual([
    'ok',
    'RATE_LIMITED',
  ])
})

test('on the database’s own clock a window is the minute that it is', async () => {
  ctx.clock.now = null
  await count()
  const [row] = await ctx.db.$client`
    select window_start = date_trunc('minute', window_start) as whole,
           clock_timestamp() - window_start < interval '2 minutes' as recent from rate_limit`
  expect(row).toEqual({ whole: true, recent: true })
})

test('counters that are over go, and those that count stay', async () => {
  await count({ subject: 'long over' })
  ctx.advance(61 * 60_000)
  await count({ subject: 'counting' })
  expect(await pruneCounters(ctx)).toBe(1)
  expect(await ctx.db.$client`select subject from rate_limit`).toEqual([{ subject: 'counting' }])
  expect(await pruneCounters(ctx)).toBe(0)
})
