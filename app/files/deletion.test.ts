import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { checkBooks, readFileRow, strayObjects } from '../testing/files'
import { faultyStorage, testStorage } from '../testing/storage'
import { cleanStorage, setDueFilesAside } from './cleanup.server'
import { deleteFile } from './deletion.server'
import { findDownload, listFiles } from './queries.server'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const database = testDatabase()
let ctx: TestContext

/** A context with a clock of its own that can be moved, and storage that can fail. */
async function timed() {
  const faulty = faultyStorage(await testStorage())
  const context = await testContext(database, {
    storage: faulty.bucket,
    clock: { now: new Date('2026-03-01T12:00:00Z') },
  })
  return { context, faulty, userId: (await createUser(context)).id }
}

beforeAll(async () => {
  ctx = await testContext(database)
})

describe('deleting', () => {
  it('removes row, object and quota at once', async () => {
    const { id: userId } = await createUser(ctx)
    const file = await createFile(ctx, { userId })
    expect(await deleteFile(ctx, { userId, fileId: file.id })).toEqual({ outcome: 'deleted' })
    expect(await readFileRow(ctx, file.id)).toBeUndefined()
    expect(await ctx.storage?.head(file.objectKey)).toBeNull()
    expect(await checkBooks(ctx, userId)).toEqual({})
    expect(await deleteFile(ctx, { userId, fileId: file.id })).toEqual({ outcome: 'FILE_NOT_FOUND' })
  })

  it('somebody else’s file, one that never was and one that is being written are not found', async () => {
    const { id: userId } = await createUser(ctx)
    const file = await createFile(ctx, { userId })
    const uploading = await createFile(ctx, { userId, state: 'uploading' })
    const notFound = { outcome: 'FILE_NOT_FOUND' }
    expect(await deleteFile(ctx, { userId: (await createUser(ctx)).id, fileId: file.id })).toEqual(notFound)
    expect(await deleteFile(ctx, { userId, fileId: randomUUID() })).toEqual(notFound)
    expect(await deleteFile(ctx, { userId, fileId: uploading.id })).toEqual(notFound)
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1, uploading: 1 })
  })

  it('eight times at once gives the quota back once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => testContext(database)))
    const { id: userId } = await createUser(ctx)
    const { id: fileId } = await createFile(ctx, { userId })
    await createFile(ctx, { userId })
    const answers = await Promise.all(sessions.map((session) => deleteFile(session, { userId, fileId })))
    expect(answers.filter(({ outcome }) => outcome === 'deleted')).toHaveLength(1)
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it.each(['fails', 'has no binding'])(
    'is done for the person when storage %s, and cleaned later',
    async (why) => {
      const { context, faulty, userId } = await timed()
      const file = await createFile(context, { userId })
      faulty.fail('delete')
      const failing = why === 'fails' ? context : { ...context, storage: null }
      expect(await deleteFile(failing, { userId, fileId: file.id })).toEqual({ outcome: 'deleted' })
      expect(await listFiles(context, { userId })).toMatchObject({ files: [] })
      expect(await findDownload(context, { userId, fileId: file.id })).toBe('FILE_NOT_FOUND')
      expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
      expect(context.logged.at(-1)).toMatchObject({ event: 'file.not_removed', fields: { fileId: file.id } })

      await cleanStorage(context)
      context.advance(MINUTE)
      await cleanStorage(context)
      expect(await checkBooks(context, userId)).toEqual({})
      expect(await context.storage?.head(file.objectKey)).toBeNull()
    },
  )
})

describe('cleaning', () => {
  it('tries what fails again after one, two, four … minutes, up to six hours', async () => {
    const { context, faulty, userId } = await timed()
    const { id } = await createFile(context, { userId, state: 'deleting' })
    context.advance(8 * DAY)
    const gaps = []
    for (let attempt = 0; attempt < 12; attempt++) {
      faulty.fail('delete')
      await cleanStorage(context)
      const due = new Date((await readFileRow(context, id))?.next_try_at ?? 0)
      gaps.push((due.getTime() - (context.clock.now?.getTime() ?? 0)) / MINUTE)
      context.clock.now = due
    }
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360])
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('goes on past an object that can’t be removed', async () => {
    const { context, faulty, userId } = await timed()
    for (let each = 0; each < 5; each++) await createFile(context, { userId, state: 'deleting' })
    context.advance(8 * DAY)
    // All together, then the first of them alone.
    faulty.fail('delete', 2)
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
  })

  it('that ended in the middle is made up for: what has no object loses its row too', async () => {
    const { context, faulty, userId } = await timed()
    await createFile(context, { userId, state: 'deleting' })
    context.advance(8 * DAY)
    faulty.loseAnswer('delete')
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
    context.advance(MINUTE)
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('by a round that hangs blocks no other round', async () => {
    const { context, faulty, userId } = await timed()
    await createFile(context, { userId, state: 'deleting' })
    context.advance(8 * DAY)
    const hold = faulty.hold('delete')
    const hanging = cleanStorage(context)
    await hold.reached
    const second = await createFile(context, { userId, state: 'deleting', expiresAt: new Date(0) })
    const other = await testContext(database, { clock: context.clock })
    await cleanStorage(other)
    expect(await readFileRow(context, second.id)).toBeUndefined()
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
    hold.release()
    await hanging
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('by four rounds at once removes each once', async () => {
    const { context, userId } = await timed()
    for (let each = 0; each < 60; each++) await createFile(context, { userId, state: 'deleting' })
    context.advance(8 * DAY)
    const rounds = await Promise.all(
      Array.from({ length: 4 }, () => testContext(database, { clock: context.clock })),
    )
    const looked = await Promise.all(rounds.map((round) => cleanStorage(round)))
    expect(looked.reduce((sum, each) => sum + each)).toBe(60)
    expect(Math.max(...looked)).toBeLessThanOrEqual(50)
    expect(await checkBooks(context, userId)).toEqual({})
    expect(await strayObjects(context)).toEqual([])
  })
})

describe('a file that has expired', () => {
  it('goes at its time, and not before', async () => {
    const { context, userId } = await timed()
    await createFile(context, { userId })
    context.advance(7 * DAY - 1)
    await setDueFilesAside(context)
    expect(await checkBooks(context, userId)).toEqual({ ready: 1 })
    context.advance(1)
    await setDueFilesAside(context)
    await cleanStorage(context)
    expect(await checkBooks(context, userId)).toEqual({})
  })

  it('doesn’t wait for one that somebody is working on', async () => {
    const { context, userId } = await timed()
    const [held, free] = [await createFile(context, { userId }), await createFile(context, { userId })]
    context.advance(7 * DAY)
    const other = await testContext(database, { clock: context.clock })
    await other.db.$client.begin(async (transaction) => {
      await transaction`select from file where id = ${held.id} for update`
      await setDueFilesAside(context)
      expect((await readFileRow(context, held.id))?.state).toBe('ready')
      expect((await readFileRow(context, free.id))?.state).toBe('deleting')
    })
  })
})
