import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { checkBooks, readFileRow } from '../testing/files'
import { brokenStorage } from '../testing/invariants'
import { faultyStorage, testStorage } from '../testing/storage'
import { cleanStorage, setDueFilesAside } from './cleanup.server'
import { deleteFile } from './deletion.server'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const database = testDatabase()

/** A context with a clock of its own, eight days after its files were made, and storage that can fail. */
async function timed() {
  const faulty = faultyStorage(await testStorage())
  const context = await testContext(database, {
    storage: faulty.bucket,
    clock: { now: new Date('2026-03-01T12:00:00Z') },
  })
  return { context, faulty, userId: (await createUser(context)).id }
}

/** From now on the database refuses that write to that row. Answers how to end it. */
async function refuseWrite(
  { db }: TestContext,
  { on, id }: { on: 'delete' | 'update of state'; id: string },
) {
  await db.$client.unsafe(`
    create function refuse_write() returns trigger language plpgsql as $$
    begin raise exception 'refused for a test'; end $$;
    create trigger refuse_write before ${on} on file for each row when (old.id = '${id}')
      execute function refuse_write();`)
  return async () => void (await db.$client`drop function refuse_write() cascade`)
}

/** What the trash holds of those keys. */
async function readTrash({ db }: TestContext, keys: string[]) {
  return db.$client<{ object_key: string; try_count: number; next_try_at: string }[]>`
    select object_key, try_count, next_try_at from object_trash
     where object_key in (select jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb))`
}

/** Objects in the trash, as an account's deletion leaves them. */
async function fillTrash(context: TestContext, userId: string, count: number): Promise<string[]> {
  const keys: string[] = []
  for (let each = 0; each < count; each++) keys.push((await createFile(context, { userId })).objectKey)
  await context.db.$client`delete from "user" where id = ${userId}`
  return keys
}

async function remaining({ storage }: TestContext, keys: string[]): Promise<number> {
  let count = 0
  for (const key of keys) if (await storage?.head(key)) count += 1
  return count
}

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database)
})

describe('a row that the database doesn’t let go', () => {
  it('keeps no other, is tried again later, and gives its quota back then', async () => {
    const { context, userId } = await timed()
    const files = []
    for (let each = 0; each < 4; each++) files.push(await createFile(context, { userId, state: 'deleting' }))
    context.advance(8 * DAY)
    const stuck = files[0]!
    const allow = await refuseWrite(context, { on: 'delete', id: stuck.id })
    await cleanStorage(context)
    await allow()
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
    expect(await readFileRow(context, stuck.id)).toMatchObject({ try_count: 1 })
    expect(context.logged).toContainEqual({
      event: 'file.not_forgotten',
      fields: expect.objectContaining({ fileId: stuck.id, code: 'P0001' }) as unknown,
    })

    expect(await cleanStorage(context)).toBe(0)
    context.advance(MINUTE)
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('is deleted for its owner all the same', async () => {
    const { context, userId } = await timed()
    const { id: fileId } = await createFile(context, { userId })
    const allow = await refuseWrite(context, { on: 'delete', id: fileId })
    expect(await deleteFile(context, { userId, fileId })).toEqual({ outcome: 'deleted' })
    await allow()
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('be set aside keeps no other, and is tried again after one, two, four … minutes', async () => {
    const { context, userId } = await timed()
    const stuck = await createFile(context, { userId })
    for (let each = 0; each < 3; each++) await createFile(context, { userId })
    context.advance(8 * DAY)
    const allow = await refuseWrite(context, { on: 'update of state', id: stuck.id })
    const gaps = []
    for (let attempt = 0; attempt < 4; attempt++) {
      await setDueFilesAside(context)
      expect(await checkBooks(context, userId)).toEqual({ ready: 1, deleting: 3 })
      const due = new Date((await readFileRow(context, stuck.id))?.next_try_at ?? 0)
      gaps.push((due.getTime() - (context.clock.now?.getTime() ?? 0)) / MINUTE)
      context.clock.now = due
    }
    await allow()
    expect(gaps).toEqual([1, 2, 4, 8])
    expect(context.logged).toContainEqual({
      event: 'file.not_set_aside',
      fields: { fileId: stuck.id, code: 'P0001' },
    })
    await setDueFilesAside(context)
    expect(await readFileRow(context, stuck.id)).toMatchObject({ state: 'deleting', try_count: 0 })
  })
})

describe('the trash', () => {
  it('of a deleted account is emptied, and nothing remains of it anywhere', async () => {
    const { context, userId } = await timed()
    const keys = await fillTrash(context, userId, 3)
    await cleanStorage(context)
    expect(await remaining(context, keys)).toBe(0)
    expect(await readTrash(context, keys)).toHaveLength(0)
  })

  it('of more than a batch is emptied batch by batch', async () => {
    const { context, userId } = await timed()
    const keys = await fillTrash(context, userId, 60)
    expect(await cleanStorage(context)).toBe(50)
    expect(await cleanStorage(context)).toBe(10)
    expect(await remaining(context, keys)).toBe(0)
    expect(await readTrash(context, keys)).toHaveLength(0)
  })

  it('keeps what storage doesn’t remove, and tries it again after gaps that grow', async () => {
    const { context, faulty, userId } = await timed()
    const keys = await fillTrash(context, userId, 3)
    // All together, then two of them alone.
    faulty.fail('delete', 3)
    await cleanStorage(context)
    expect(await remaining(context, keys)).toBe(2)
    expect(await readTrash(context, keys)).toMatchObject([{ try_count: 1 }, { try_count: 1 }])

    context.advance(MINUTE)
    faulty.fail('delete', 3)
    await cleanStorage(context)
    expect(await cleanStorage(context)).toBe(0)
    context.advance(2 * MINUTE - 1)
    expect(await cleanStorage(context)).toBe(0)
    context.advance(1)
    expect(await cleanStorage(context)).toBe(2)
    expect(await remaining(context, keys)).toBe(0)
    expect(await readTrash(context, keys)).toHaveLength(0)
  })

  it('is emptied together with deleted files, in one request', async () => {
    const { context, faulty, userId } = await timed()
    const keys = await fillTrash(context, userId, 1)
    const { id: other } = await createUser(context)
    await createFile(context, { userId: other, state: 'deleting', expiresAt: new Date(0) })
    const hold = faulty.hold('delete')
    const cleaning = cleanStorage(context)
    await hold.reached
    // Any further request would fail.
    faulty.fail('delete', 1)
    hold.release()
    await cleaning
    expect(await checkBooks(context, other)).toEqual({})
    expect(await readTrash(context, keys)).toHaveLength(0)
  })

  it('is emptied once by four rounds at once', async () => {
    const { context, userId } = await timed()
    const keys = await fillTrash(context, userId, 20)
    const rounds = await Promise.all(
      Array.from({ length: 4 }, () => testContext(database, { clock: context.clock })),
    )
    const looked = await Promise.all(rounds.map((round) => cleanStorage(round)))
    expect(looked.reduce((sum, each) => sum + each)).toBe(20)
    expect(await remaining(context, keys)).toBe(0)
  })
})

describe('after failures of storage and of the database', () => {
  it('the bucket holds in the end what the database says', async () => {
    const { context, faulty, userId } = await timed()
    for (let each = 0; each < 10; each++) {
      const { id: fileId } = await createFile(context, { userId })
      if (each % 3 === 0) faulty.fail('delete')
      if (each % 3 === 1) faulty.loseAnswer('delete')
      if (each < 7) await deleteFile(context, { userId, fileId })
    }
    const gone = (await createUser(context)).id
    await fillTrash(context, gone, 4)
    faulty.fail('delete', 4)
    for (let round = 0; round < 10; round++) {
      await setDueFilesAside(context)
      await cleanStorage(context)
      context.advance(5 * MINUTE)
    }
    expect(await checkBooks(context, userId)).toEqual({ ready: 3 })
    expect(await brokenStorage(context)).toEqual([])
    const [left] = await ctx.db.$client<
      { trash: number }[]
    >`select count(*)::integer as trash from object_trash`
    expect(left?.trash).toBe(0)
    const listed = await context.storage?.list({ prefix: context.site.storagePrefix })
    const [rows] = await ctx.db.$client<{ files: number }[]>`select count(*)::integer as files from file`
    expect(listed?.objects).toHaveLength(rows?.files ?? -1)
  })
})
