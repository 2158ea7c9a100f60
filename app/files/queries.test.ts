import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCursor } from '../db/keyset.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { submit } from '../testing/tasks'
import { findDownload, findFiles, listFiles, storageUse } from './queries.server'

const database = testDatabase()
let ctx: TestContext
const NOW = new Date('2026-03-01T12:00:00Z')

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: NOW } })
})

async function page(request: Parameters<typeof listFiles>[1]) {
  const answer = await listFiles(ctx, request)
  if (answer === 'INVALID_INPUT') throw new Error(answer)
  return answer
}

describe('the list of files', () => {
  it('loses and repeats none in either direction, also with equal times', async () => {
    const { id: userId } = await createUser(ctx)
    for (let each = 0; each < 23; each++) {
      await createFile(ctx, { userId, createdAt: new Date(NOW.getTime() - Math.floor(each / 6)) })
    }
    const whole = (await page({ userId, limit: 100 })).files.map(({ id }) => id)
    expect(new Set(whole).size).toBe(23)

    const older: string[][] = []
    let last = await page({ userId, limit: 5 })
    expect(last.previousCursor).toBeNull()
    for (
      older.push(last.files.map(({ id }) => id));
      last.nextCursor;
      older.push(last.files.map(({ id }) => id))
    ) {
      last = await page({ userId, limit: 5, after: last.nextCursor })
    }
    expect(older.map(({ length }) => length)).toEqual([5, 5, 5, 5, 3])
    expect(older.flat()).toEqual(whole)

    const newer = [last.files.map(({ id }) => id)]
    while (last.previousCursor) {
      last = await page({ userId, limit: 5, before: last.previousCursor })
      newer.unshift(last.files.map(({ id }) => id))
    }
    expect(newer).toEqual(older)
  })

  it('goes on from its place when files come and go meanwhile', async () => {
    const { id: userId } = await createUser(ctx)
    for (let each = 0; each < 6; each++) {
      await createFile(ctx, { userId, name: `${each}.txt`, createdAt: new Date(NOW.getTime() - each) })
    }
    const first = await page({ userId, limit: 3 })
    await createFile(ctx, { userId, name: 'new.txt', createdAt: new Date(NOW.getTime() + 1) })
    await ctx.db.$client`update file set state = 'deleting' where id = ${first.files[2]?.id ?? ''}`
    const second = await page({ userId, limit: 3, after: first.nextCursor })
    expect(second.files.map(({ name }) => name)).toEqual(['3.txt', '4.txt', '5.txt'])
    expect(second.nextCursor).toBeNull()
  })

  it('has only own files that are ready and not expired, with the task that needs each', async () => {
    const { id: userId } = await createUser(ctx)
    const other = await createUser(ctx)
    const used = await createFile(ctx, { userId })
    const { taskId } = await submit(ctx, { userId, fileId: used.id })
    await createFile(ctx, { userId: other.id })
    await createFile(ctx, { userId, state: 'uploading' })
    await createFile(ctx, { userId, state: 'deleting' })
    await createFile(ctx, { userId, expiresAt: NOW })
    const { files } = await page({ userId })
    expect(files).toEqual([
      {
        id: used.id,
        name: 'notes.txt',
        type: 'text/plain',
        size: 10,
        origin: 'upload',
        taskId: null,
        createdAt: NOW,
        expiresAt: new Date('2026-03-08T12:00:00Z'),
        pinnedBy: taskId,
      },
    ])
  })

  it.each([
    '',
    '!',
    'bnVsbA',
    btoa('[1]'),
    btoa('[99999999999999999,"x"]'),
    btoa('[253402300800000,"01900000-0000-7000-8000-000000000000"]'),
  ])('refuses the broken cursor %j', async (cursor) => {
    const { id: userId } = await createUser(ctx)
    expect(await listFiles(ctx, { userId, after: cursor })).toBe('INVALID_INPUT')
    expect(await listFiles(ctx, { userId, before: cursor })).toBe('INVALID_INPUT')
  })

  it.each([
    ['100%', ['100% sure.txt']],
    ['_', ['a_b.txt']],
    ['\\\\', []],
    ['A_B', ['a_b.txt']],
    ['überBLICK', ['Überblick.txt']],
    ['ОТЧЁТ', ['отчёт.txt']],
    ['.txt', ['100% sure.txt', '100 sure.txt', 'a_b.txt', 'axb.txt', 'Überblick.txt', 'отчёт.txt']],
    ['.*', []],
    ['"', []],
    ["'; drop table file; --", []],
  ])('narrowed to %j has the names that have it in them, whatever their case', async (search, expected) => {
    const { id: userId } = await createUser(ctx)
    const names = ['100% sure.txt', '100 sure.txt', 'a_b.txt', 'axb.txt', 'Überblick.txt', 'отчёт.txt']
    for (const [index, name] of names.entries()) {
      await createFile(ctx, { userId, name, createdAt: new Date(NOW.getTime() - index) })
    }
    await createFile(ctx, { userId: (await createUser(ctx)).id, name: 'a_b.txt' })
    expect((await page({ userId, search })).files.map(({ name }) => name)).toEqual(expected)
  })

  it('that is narrowed goes on in both directions among the names that have it', async () => {
    const { id: userId } = await createUser(ctx)
    for (let each = 0; each < 12; each++) {
      const name = `${each % 2 === 0 ? 'Even' : 'odd'} ${each}.txt`
      await createFile(ctx, { userId, name, createdAt: new Date(NOW.getTime() - each) })
    }
    const asked = { userId, search: 'even', limit: 4 }
    const first = await page(asked)
    expect(first.files.map(({ name }) => name)).toEqual([0, 2, 4, 6].map((each) => `Even ${each}.txt`))
    const second = await page({ ...asked, after: first.nextCursor })
    expect(second.files.map(({ name }) => name)).toEqual(['Even 8.txt', 'Even 10.txt'])
    expect(second.nextCursor).toBeNull()
    expect((await page({ ...asked, before: second.previousCursor })).files).toEqual(first.files)
  })

  it('reads as many rows on a late page as on the first, in both directions', async () => {
    const { id: userId } = await createUser(ctx)
    await ctx.db.$client`
      insert into file (id, user_id, name, content_type, byte_size, sha256, object_key, state, created_at, expires_at, next_try_at)
      select gen_random_uuid(), ${userId}, 'n.txt', 'text/plain', 1, repeat('a', 64), ${`${userId}/`} || n, 'ready',
             ${NOW.toISOString()}::timestamptz - n * interval '1 second', ${NOW.toISOString()}::timestamptz + interval '1 day', now()
        from generate_series(1, 20000) n`
    await ctx.db.$client`analyze file`
    const late = { createdAt: new Date(NOW.getTime() - 19_000_000), id: userId }
    const rowsRead = async (request: Parameters<typeof listFiles>[1]) => {
      await ctx.db.$client`select pg_stat_force_next_flush()`
      const count = async () => {
        const [row] = await ctx.db.$client<{ rows: string }[]>`
          select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where relname = 'file'`
        return Number(row?.rows)
      }
      const before = await count()
      expect((await page(request)).files).toHaveLength(20)
      await ctx.db.$client`select pg_stat_force_next_flush()`
      return (await count()) - before
    }
    expect(await rowsRead({ userId })).toBeLessThan(50)
    expect(await rowsRead({ userId, after: encodeCursor(late) })).toBeLessThan(50)
    expect(await rowsRead({ userId, before: encodeCursor(late) })).toBeLessThan(50)
  })
})

describe('a download', () => {
  it('is found by its owner alone, while it is ready and not expired', async () => {
    const { id: userId } = await createUser(ctx)
    const file = await createFile(ctx, { userId })
    const expired = await createFile(ctx, { userId, expiresAt: NOW })
    const other = (await createUser(ctx)).id
    expect(await findDownload(ctx, { userId, fileId: file.id })).toMatchObject({ id: file.id, size: 10 })
    expect(await findDownload(ctx, { userId: other, fileId: file.id })).toBe('FILE_NOT_FOUND')
    expect(await findDownload(ctx, { userId, fileId: expired.id })).toBe('FILE_EXPIRED')
    expect(await findDownload(ctx, { userId: other, fileId: expired.id })).toBe('FILE_NOT_FOUND')
  })
})

describe('files by their ids', () => {
  it('are found in their order, each or why there is none', async () => {
    const { id: userId } = await createUser(ctx)
    const own = await createFile(ctx, { userId, name: 'own.txt' })
    const expired = await createFile(ctx, { userId, name: 'old.txt', expiresAt: NOW })
    const deleted = await createFile(ctx, { userId, state: 'deleting' })
    const others = await createFile(ctx, { userId: (await createUser(ctx)).id })
    const fileIds = [expired.id, others.id, own.id, deleted.id, crypto.randomUUID()]
    expect(await findFiles(ctx, { userId, fileIds })).toMatchObject([
      { reason: 'FILE_EXPIRED', name: 'old.txt' },
      { reason: 'FILE_NOT_FOUND', name: null },
      { file: { id: own.id, name: 'own.txt', objectKey: own.objectKey } },
      { reason: 'FILE_NOT_FOUND', name: null },
      { reason: 'FILE_NOT_FOUND', name: null },
    ])
    expect(await findFiles(ctx, { userId, fileIds: [] })).toEqual([])
  })
})

it('storage in use is what is counted, beside what is allowed', async () => {
  const { id: userId } = await createUser(ctx)
  const limits = { maxFiles: 200, maxBytes: 100 * 1024 * 1024 }
  expect(await storageUse(ctx, userId)).toEqual({ files: 0, bytes: 0, ...limits })
  await createFile(ctx, { userId })
  expect(await storageUse(ctx, userId)).toEqual({ files: 1, bytes: 10, ...limits })
})
