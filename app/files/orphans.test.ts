import { beforeEach, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { brokenStorage } from '../testing/invariants'
import { testStorage } from '../testing/storage'
import { cleanStorage } from './cleanup.server'
import { trashOrphans } from './orphans.server'

const HOUR = 60 * 60_000
const database = testDatabase()

let made = 0
let ctx: TestContext
let userId: string

/** A site with a prefix of its own in the bucket, and a clock that begins at the time at which storage stamps its objects. */
beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date() } })
  ctx.site.storagePrefix = `site-${++made}/`
  userId = (await createUser(ctx)).id
})

async function addOrphans(...names: string[]): Promise<string[]> {
  const keys = names.map((name) => `${ctx.site.storagePrefix}${name}`)
  for (const key of keys) await ctx.storage?.put(key, 'x')
  return keys
}

async function addFiles(count: number) {
  for (let each = 0; each < count; each++) await createFile(ctx, { userId })
}

async function objects(): Promise<string[]> {
  const listed = await ctx.storage?.list({ prefix: ctx.site.storagePrefix })
  return listed?.objects.map(({ key }) => key) ?? []
}

async function readScan() {
  const [row] = await ctx.db.$client<{ cursor: string | null; stopped_at: string | null }[]>`
    select cursor, stopped_at from orphan_scan where prefix = ${ctx.site.storagePrefix}`
  return row
}

/** The same context, on a bucket that lists so few at a time. */
async function inPagesOf(limit: number): Promise<TestContext> {
  const bucket = await testStorage()
  const list: R2Bucket['list'] = (options) => bucket.list({ ...options, limit })
  const storage = new Proxy(bucket, {
    get: (target, name) => {
      if (name === 'list') return list
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { ...ctx, storage }
}

describe('an object without a row', () => {
  it('is removed an hour after it was written, and not before', async () => {
    const [key] = await addOrphans('late')
    ctx.advance(HOUR - 60_000)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toEqual([key])
    ctx.advance(2 * 60_000)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toEqual([])
    expect(await brokenStorage(ctx)).toEqual([])
    expect(ctx.logged).toContainEqual({ event: 'orphans.found', fields: { orphans: 1, looked: 1 } })
  })

  it('is told from those with one, whatever state their file is in', async () => {
    await addFiles(3)
    await createFile(ctx, { userId, state: 'uploading' })
    await createFile(ctx, { userId, state: 'deleting' })
    const before = await objects()
    await addOrphans('one', 'another')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toEqual(before)
  })

  it('of another site in the same bucket is left alone', async () => {
    const other = `other-${ctx.site.storagePrefix}orphan`
    await ctx.storage?.put(other, 'x')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await ctx.storage?.head(other)).not.toBeNull()
  })

  it('is removed whatever its key looks like', async () => {
    await addFiles(6)
    const before = await objects()
    await addOrphans('a "quoted" \\ key', "it's {a,b}", 'Zoë \u{1F9EA}', '../x', '%00')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toEqual(before)
  })

  it('that is in the trash already isn’t found again', async () => {
    const { objectKey } = await createFile(ctx, { userId })
    await ctx.db.$client`delete from "user" where id = ${userId}`
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    expect(ctx.logged.map(({ event }) => event)).not.toContain('orphans.found')
    await cleanStorage(ctx)
    expect(await ctx.storage?.head(objectKey)).toBeNull()
  })

  it('is found by one of four rounds at once', async () => {
    await addOrphans('one', 'another')
    ctx.advance(2 * HOUR)
    const rounds = await Promise.all(
      Array.from({ length: 4 }, () => testContext(database, { clock: ctx.clock, site: ctx.site })),
    )
    await Promise.all(rounds.map((round) => trashOrphans(round)))
    const found = rounds.flatMap(({ logged }) => logged).filter(({ event }) => event === 'orphans.found')
    expect(found).toHaveLength(1)
  })

  it('waits where no storage is bound', async () => {
    expect(await trashOrphans({ ...ctx, storage: null })).toBe(0)
  })
})

describe('the search', () => {
  it('goes on in the next round where it was, and begins anew after the end', async () => {
    await addOrphans('a', 'b', 'c', 'd', 'e')
    const paged = await inPagesOf(2)
    const cursors = []
    for (let page = 0; page < 4; page++) {
      await trashOrphans(paged)
      cursors.push((await readScan())?.cursor?.slice(-1) ?? null)
    }
    expect(cursors).toEqual(['b', 'd', null, 'b'])
  })

  it('asks for its next turn at once while there are more pages, and for none after the last', async () => {
    await addOrphans('a', 'b', 'c', 'd')
    const paged = await inPagesOf(2)
    expect(await trashOrphans(paged)).toBe(500)
    expect(await trashOrphans(paged)).toBeLessThan(500)
  })

  it.each(['its place was removed', 'its place never was', 'its place lies after the end'])(
    'goes on when %s',
    async (why) => {
      await addOrphans('a', 'b', 'c', 'd')
      const paged = await inPagesOf(2)
      await trashOrphans(paged)
      const { storagePrefix: prefix } = ctx.site
      if (why === 'its place was removed') await ctx.storage?.delete(`${prefix}b`)
      else {
        const cursor = why === 'its place never was' ? 'no such key, not even of this site' : `${prefix}zzz`
        await ctx.db.$client`update orphan_scan set cursor = ${cursor} where prefix = ${prefix}`
      }
      ctx.advance(2 * HOUR)
      for (let page = 0; page < 3; page++) await trashOrphans(paged)
      await cleanStorage(ctx)
      expect(await objects()).toEqual([])
    },
  )

  it('looks at the page again after a round that ended before its answer was written', async () => {
    await addOrphans('a', 'b', 'c')
    ctx.advance(2 * HOUR)
    const paged = await inPagesOf(2)
    const dying = { ...paged, db: database.connect() }
    await dying.db.$client.end()
    await expect(trashOrphans(dying)).rejects.toThrow()
    for (let page = 0; page < 2; page++) await trashOrphans(paged)
    await cleanStorage(ctx)
    expect(await objects()).toEqual([])
  })
})

describe('where more than half of a page would go', () => {
  /** As after a restore: six objects that the database knows nothing of, and five files. */
  async function restored() {
    await addFiles(5)
    await addOrphans('a', 'b', 'c', 'd', 'e', 'f')
    ctx.advance(2 * HOUR)
    return objects()
  }

  it('nothing goes, round after round, and the operator can see why', async () => {
    const before = await restored()
    for (let round = 0; round < 3; round++) {
      await trashOrphans(ctx)
      await cleanStorage(ctx)
    }
    expect(await objects()).toEqual(before)
    expect(await readScan()).toMatchObject({ cursor: null, stopped_at: expect.any(String) as string })
    const told = ctx.logged.filter(({ event }) => event === 'orphans.stopped')
    expect(told).toEqual(Array(3).fill({ event: 'orphans.stopped', fields: { orphans: 6, looked: 11 } }))
  })

  it('it goes on once an operator approves', async () => {
    await restored()
    await trashOrphans(ctx)
    await ctx.db.$client`
      update orphan_scan set approved_until = ${new Date((ctx.clock.now?.getTime() ?? 0) + HOUR).toISOString()}
       where prefix = ${ctx.site.storagePrefix}`
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toHaveLength(5)
    expect(await readScan()).toMatchObject({ stopped_at: null })

    // The approval ends.
    await addOrphans('g', 'h', 'i', 'j', 'k', 'l')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    expect((await readScan())?.stopped_at).not.toBeNull()
  })

  it('it goes on by itself once the rows are back', async () => {
    await restored()
    await trashOrphans(ctx)
    await addFiles(1)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toHaveLength(6)
    expect(await readScan()).toMatchObject({ stopped_at: null })
  })

  it('an empty database erases no bucket', async () => {
    await addOrphans(...'abcdefghij')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toHaveLength(10)
  })

  it('five go all the same: a small site has waste too', async () => {
    await addOrphans(...'abcde')
    ctx.advance(2 * HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toEqual([])
  })
})
