import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { checkBooks, readFileRow, readUse, strayObjects } from '../testing/files'
import { faultyStorage, testStorage } from '../testing/storage'
import { cleanStorage, setDueFilesAside } from './cleanup.server'
import { deleteFile } from './deletion.server'
import { listFiles } from './queries.server'
import { storeUpload, type Upload } from './upload.server'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
})

const bytesOf = (text: string) => new TextEncoder().encode(text)

const upload = (userId: string, given: Partial<Upload> = {}): Upload => ({
  userId,
  name: 'notes.txt',
  bytes: bytesOf('one\r\ntwo\r\n'),
  accepts: ['text/plain'],
  request: null,
  ...given,
})

async function stored(context: TestContext, given: Upload): Promise<string> {
  const answer = await storeUpload(context, given)
  if (!('fileId' in answer)) throw new Error(`refused: ${answer.refused}`)
  return answer.fileId
}

describe('an upload', () => {
  it('becomes a ready file that is kept for seven days, under a random key that tells nothing', async () => {
    const { id: userId } = await createUser(ctx)
    const fileId = await stored(ctx, upload(userId, { name: '../Résumé.txt' }))
    const [row] = await ctx.db.$client`
      select *, expires_at - created_at as kept, next_try_at = expires_at as due_at_expiry from file where id = ${fileId}`
    expect(row).toMatchObject({
      state: 'ready',
      name: 'Résumé.txt',
      content_type: 'text/plain',
      byte_size: '10',
      sha256: createHash('sha256').update('one\r\ntwo\r\n').digest('hex'),
      origin: 'upload',
      kept: '7 days',
      due_at_expiry: true,
    })
    expect(row?.object_key).toMatch(/^millrace\/[0-9a-f]{32}$/)
    expect(await (await ctx.storage?.get(String(row?.object_key)))?.text()).toBe('one\r\ntwo\r\n')
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it.each([
    ['FILE_EMPTY', { bytes: new Uint8Array() }],
    ['FILE_TOO_LARGE', { bytes: null }],
    ['FILE_TOO_LARGE', { bytes: new Uint8Array(10 * 1024 * 1024 + 1).fill(97) }],
    ['FILE_TYPE_UNSUPPORTED', { bytes: bytesOf('%PDF-1.7') }],
    ['FILE_TYPE_UNSUPPORTED', { name: 'photo.png' }],
    ['FILE_TYPE_UNSUPPORTED', { accepts: [] }],
  ] as const)('is refused with %s and leaves nothing behind', async (refused, given) => {
    const { id: userId } = await createUser(ctx)
    expect(await storeUpload(ctx, upload(userId, given))).toEqual({ refused })
    expect(await checkBooks(ctx, userId)).toEqual({})
  })

  it.each([
    ['a single line of ten megabytes', new Uint8Array(10 * 1024 * 1024).fill(97)],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0x00)],
    ['NUL bytes', new Uint8Array(100)],
  ])('of %s is kept: a file is bytes', async (_, bytes) => {
    const { id: userId } = await createUser(ctx)
    await stored(ctx, upload(userId, { bytes }))
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it('without a storage binding is refused, and nothing is stored', async () => {
    const bare = await testContext(database, { storage: null })
    const { id: userId } = await createUser(bare)
    expect(await storeUpload(bare, upload(userId))).toEqual({ refused: 'NOT_CONFIGURED' })
    expect(await checkBooks(bare, userId)).toEqual({})
  })

  it('of an account that is gone is refused', async () => {
    expect(await storeUpload(ctx, upload(randomUUID()))).toEqual({ refused: 'UNAUTHENTICATED' })
  })
})

describe('the quota', () => {
  it('of files holds against twenty uploads at once, and so do its counters', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => testContext(database, { clock: ctx.clock })),
    )
    for (const session of sessions) session.site.files.maxCount = 7
    const { id: userId } = await createUser(ctx)
    const answers = await Promise.all(
      sessions.map((session, at) => storeUpload(session, upload(userId, { bytes: bytesOf(`file ${at}`) }))),
    )
    expect(answers.filter((answer) => 'fileId' in answer)).toHaveLength(7)
    expect(answers.filter((answer) => 'refused' in answer && answer.refused === 'STORAGE_FULL')).toHaveLength(
      13,
    )
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 7 })
  })

  it('of bytes is filled to the last and not beyond', async () => {
    const small = await testContext(database)
    small.site.files.quotaBytes = 30
    const { id: userId } = await createUser(small)
    await stored(small, upload(userId, { bytes: bytesOf('a'.repeat(20)) }))
    const full = { refused: 'STORAGE_FULL' }
    expect(await storeUpload(small, upload(userId, { bytes: bytesOf('b'.repeat(11)) }))).toEqual(full)
    expect(await storeUpload(small, upload(userId, { bytes: bytesOf('b'.repeat(31)) }))).toEqual(full)
    await stored(small, upload(userId, { bytes: bytesOf('b'.repeat(10)) }))
    expect(await readUse(small, userId)).toEqual({ files: 2, bytes: 30 })
  })
})

describe('the same form sent again', () => {
  it('is the stored file, also when it is full by now', async () => {
    const { id: userId } = await createUser(ctx)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const fileId = await stored(ctx, again)
    const full = await testContext(database, { clock: ctx.clock })
    full.site.files.maxCount = 1
    expect(await storeUpload(full, again)).toEqual({ fileId })
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it('eight times at once is one file', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => testContext(database, { clock: ctx.clock })),
    )
    const { id: userId } = await createUser(ctx)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const ids = await Promise.all(sessions.map((session) => stored(session, again)))
    expect(new Set(ids).size).toBe(1)
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it('with other bytes or another name is a conflict, in another place or account a file of its own', async () => {
    const { id: userId } = await createUser(ctx)
    const key = randomUUID()
    const request = { key, index: 0 }
    await stored(ctx, upload(userId, { request }))
    const conflict = { refused: 'REQUEST_CONFLICT' }
    expect(await storeUpload(ctx, upload(userId, { request, bytes: bytesOf('other') }))).toEqual(conflict)
    expect(await storeUpload(ctx, upload(userId, { request, name: 'other.txt' }))).toEqual(conflict)
    await stored(ctx, upload(userId, { request: { key, index: 1 } }))
    await stored(ctx, upload((await createUser(ctx)).id, { request }))
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 2 })
  })

  it('after the first one died half-way completes it', async () => {
    const faulty = faultyStorage(await testStorage())
    const dying = await testContext(database, { storage: faulty.bucket, clock: ctx.clock })
    const { id: userId } = await createUser(ctx)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const hold = faulty.hold('put')
    const first = storeUpload(dying, again)
    await hold.reached
    expect(await checkBooks(ctx, userId)).toEqual({ uploading: 1 })

    const fileId = await stored(ctx, again)
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
    // The first one wasn't dead, only slow: it has stored the same file.
    hold.release()
    expect(await first).toEqual({ fileId })
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it('has the whole hour again, so that it is not given up while it is written', async () => {
    const faulty = faultyStorage(await testStorage())
    const clock = { now: new Date('2026-03-01T12:00:00Z') }
    const slow = await testContext(database, { storage: faulty.bucket, clock })
    const { id: userId } = await createUser(slow)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const [dead, second] = [faulty.hold('put'), faulty.hold('put')]
    const first = storeUpload(slow, again)
    await dead.reached
    slow.advance(HOUR - 1)
    const other = await testContext(database, { storage: faulty.bucket, clock })
    const answer = storeUpload(other, again)
    await second.reached
    slow.advance(2)
    await setDueFilesAside(slow)
    second.release()
    expect(await answer).toMatchObject({ fileId: expect.any(String) })
    dead.release()
    await first
  })

  it.each(['deleted', 'expired'])('after the file was %s stores it anew', async (why) => {
    const clock = { now: new Date('2026-03-01T12:00:00Z') }
    const later = await testContext(database, { clock })
    const { id: userId } = await createUser(later)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const fileId = await stored(later, again)
    if (why === 'deleted') await deleteFile(later, { userId, fileId })
    else later.advance(7 * DAY)
    const anew = await stored(later, again)
    expect(anew).not.toBe(fileId)
    expect(await listFiles(later, { userId })).toMatchObject({ files: [{ id: anew }] })
    await checkBooks(later, userId)
  })
})

describe('when storage fails', () => {
  it('the upload is refused, and cleaning gives back what it had reserved', async () => {
    const faulty = faultyStorage(await testStorage())
    const failing = await testContext(database, { storage: faulty.bucket, clock: ctx.clock })
    const { id: userId } = await createUser(failing)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    faulty.fail('put')
    expect(await storeUpload(failing, again)).toEqual({ refused: 'UPLOAD_FAILED' })
    expect(await checkBooks(failing, userId)).toEqual({ deleting: 1 })
    await cleanStorage(failing)
    expect(await checkBooks(failing, userId)).toEqual({})
    await stored(failing, again)
  })

  it('after it has taken the bytes, they go with the row', async () => {
    const faulty = faultyStorage(await testStorage())
    const failing = await testContext(database, { storage: faulty.bucket, clock: ctx.clock })
    const { id: userId } = await createUser(failing)
    faulty.loseAnswer('put')
    expect(await storeUpload(failing, upload(userId))).toEqual({ refused: 'UPLOAD_FAILED' })
    await cleanStorage(failing)
    expect(await checkBooks(failing, userId)).toEqual({})
    expect(await strayObjects(failing)).toEqual([])
  })

  it('for one of two that send the same, the file that the other has stored stays', async () => {
    const faulty = faultyStorage(await testStorage())
    const failing = await testContext(database, { storage: faulty.bucket, clock: ctx.clock })
    const { id: userId } = await createUser(ctx)
    const again = upload(userId, { request: { key: randomUUID(), index: 0 } })
    const hold = faulty.hold('put')
    const first = storeUpload(failing, again)
    await hold.reached
    const fileId = await stored(ctx, again)
    const [row] = await ctx.db.$client<
      { object_key: string }[]
    >`select object_key from file where id = ${fileId}`
    // The late write fails: its digest isn't that of the bytes any more.
    again.bytes?.fill(0)
    hold.release()
    expect(await first).toEqual({ fileId })
    expect(await (await ctx.storage?.get(row?.object_key ?? ''))?.text()).toBe('one\r\ntwo\r\n')
    expect((await readFileRow(ctx, fileId))?.state).toBe('ready')
  })
})

describe('an upload that never finished', () => {
  it('is left alone for an hour, then goes with its part of the quota', async () => {
    const faulty = faultyStorage(await testStorage())
    const clock = { now: new Date('2026-03-01T12:00:00Z') }
    const dying = await testContext(database, { storage: faulty.bucket, clock })
    const { id: userId } = await createUser(dying)
    const hold = faulty.hold('put')
    const dead = storeUpload(dying, upload(userId))
    await hold.reached
    dying.advance(HOUR - 1)
    await setDueFilesAside(dying)
    expect(await checkBooks(dying, userId)).toEqual({ uploading: 1 })
    dying.advance(1)
    await setDueFilesAside(dying)
    expect(await checkBooks(dying, userId)).toEqual({ deleting: 1 })
    // It comes back after all: too late to be a file, and not too late to be cleaned.
    hold.release()
    expect(await dead).toEqual({ refused: 'UPLOAD_FAILED' })
    await cleanStorage(dying)
    expect(await checkBooks(dying, userId)).toEqual({})
    expect(await strayObjects(dying)).toEqual([])
  })
})
