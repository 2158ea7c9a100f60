import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { setDueFilesAside } from '../files/cleanup.server'
import { deleteFile } from '../files/deletion.server'
import { findDownload, listFiles } from '../files/queries.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { checkBooks } from '../testing/files'
import { submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { submitTask } from './submission.server'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database)
})

describe('a file that a task needs', () => {
  it('can’t be deleted before the task has ended, and the refusal names it', async () => {
    const { taskId, userId, fileId } = await submit(ctx)
    expect(await deleteFile(ctx, { userId, fileId })).toEqual({ outcome: 'FILE_IN_USE', taskId })
    await cancelTask(ctx, { userId, taskId })
    expect(await deleteFile(ctx, { userId, fileId })).toEqual({ outcome: 'deleted' })
  })

  it('is deleted or submitted, never both, when both are asked for at once', async () => {
    const [one, other] = await Promise.all([testContext(database), testContext(database)])
    const wins = { deleted: 0, FILE_IN_USE: 0 }
    for (let round = 0; round < 25; round++) {
      const { id: userId } = await createUser(ctx)
      const { id: fileId } = await createFile(ctx, { userId })
      const request = { userId, fileId, requestKey: randomUUID(), processor: 'text-normalize', params: {} }
      const [deletion, submission] = await Promise.all([
        deleteFile(one, { userId, fileId }),
        submitTask(other, request),
      ])
      if (deletion.outcome === 'FILE_NOT_FOUND') throw new Error('the file was there')
      wins[deletion.outcome] += 1
      expect(submission.outcome).toBe(deletion.outcome === 'deleted' ? 'FILE_NOT_FOUND' : 'created')
      expect(await checkBooks(ctx, userId)).toEqual(deletion.outcome === 'deleted' ? {} : { ready: 1 })
    }
    expect(wins.deleted + wins.FILE_IN_USE).toBe(25)
  })

  it('stays beyond its expiry, without being anybody’s to see', async () => {
    const context = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
    const { id: userId } = await createUser(context)
    const { id: fileId } = await createFile(context, { userId })
    const { taskId } = await submit(context, { userId, fileId })
    context.advance(7 * DAY)
    await setDueFilesAside(context)
    expect(await checkBooks(context, userId)).toEqual({ ready: 1 })
    expect(await listFiles(context, { userId })).toMatchObject({ files: [] })
    expect(await findDownload(context, { userId, fileId })).toBe('FILE_EXPIRED')
    await cancelTask(context, { userId, taskId })
    await setDueFilesAside(context)
    expect(await checkBooks(context, userId)).toEqual({ ready: 1 })
    context.advance(5 * MINUTE)
    await setDueFilesAside(context)
    expect(await checkBooks(context, userId)).toEqual({ deleting: 1 })
  })
})
