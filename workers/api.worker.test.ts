import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { signUp, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
let fileId: string
beforeAll(async () => {
  sql = database.connect().$client
  ada = await signUp(site)
  fileId = await ada.upload('one \r\ntwo\r\n')
})
beforeEach(async () => void (await sql`delete from rate_limit`))

const submission = { processor: 'text-normalize', params: { trimTrailing: true } }
const json = async (response: Response) => (await response.json()) as Record<string, unknown>
const codeOf = async (response: Response) =>
  ((await json(response)) as { error: { code: string } }).error.code

test('a submission answers 201 with the task, and 200 with the same one for the same key', async () => {
  const key = { 'idempotency-key': randomUUID() }
  const first = await ada.postJson('/api/tasks', { ...submission, fileId }, key)
  expect(first.status).toBe(201)
  expect(first.headers.get('cache-control')).toBe('private, no-store')
  const task = await json(first)
  expect(task).toMatchObject({
    processor: 'text-normalize',
    processorVersion: 1,
    params: { trimTrailing: true },
    input: { fileId, name: 'notes.txt', type: 'text/plain', size: 11 },
    maxAttempts: 3,
    error: null,
  })
  await ada.waitFor(String(task.id), 'succeeded')

  const again = await ada.postJson('/api/tasks', { ...submission, fileId }, key)
  expect(again.status).toBe(200)
  expect(await json(again)).toMatchObject({ id: task.id, status: 'succeeded', attemptCount: 1 })

  const conflict = await ada.postJson('/api/tasks', { ...submission, params: {}, fileId }, key)
  expect(conflict.status).toBe(409)
  expect(await codeOf(conflict)).toBe('REQUEST_CONFLICT')
})

test('a submission without a valid key, file, processor or parameters is refused with its own code', async () => {
  const refused = async (body: unknown, key: string = randomUUID()) => {
    const response = await ada.postJson('/api/tasks', body, key ? { 'idempotency-key': key } : {})
    return [response.status, await codeOf(response)]
  }
  expect(await refused({ ...submission, fileId }, '')).toEqual([400, 'INVALID_INPUT'])
  expect(await refused({ ...submission, fileId }, 'mine')).toEqual([400, 'INVALID_INPUT'])
  expect(await refused({ ...submission, fileId: 'x' })).toEqual([400, 'INVALID_INPUT'])
  expect(await refused({ ...submission, fileId, processor: 'sh' })).toEqual([400, 'INVALID_INPUT'])
  expect(await refused({ ...submission, fileId, params: { trimTrailing: 'on' } })).toEqual([
    400,
    'INVALID_INPUT',
  ])
  expect(await refused({ ...submission, fileId, params: { other: 1 } })).toEqual([400, 'INVALID_INPUT'])
  expect(await refused({ ...submission, fileId: randomUUID() })).toEqual([404, 'FILE_NOT_FOUND'])
  expect(await refused({ ...submission, fileId, quotedPrice: 5 })).toEqual([409, 'QUOTE_CHANGED'])
})

test('an unchanged status is 304, a changed one has another tag', async () => {
  const taskId = await ada.submit(fileId)
  await ada.waitFor(taskId, 'succeeded')
  const path = `/api/tasks/${taskId}/status`
  const first = await ada.get(path)
  const etag = first.headers.get('etag') ?? ''
  expect(await json(first)).toEqual({
    id: taskId,
    status: 'succeeded',
    stage: null,
    progress: null,
    error: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    updatedAt: expect.any(String) as string,
    startedAt: expect.any(String) as string,
    finishedAt: expect.any(String) as string,
  })
  for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const unchanged = await ada.get(path, { 'if-none-match': condition })
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', etag])
  }
  await sql`update task set updated_at = updated_at + interval '1 second' where id = ${taskId}`
  const changed = await ada.get(path, { 'if-none-match': etag })
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(etag)
})

test('a result is downloaded whole, in parts and by its headers', async () => {
  const taskId = await ada.submit(fileId, { params: { trimTrailing: true } })
  await ada.waitFor(taskId, 'succeeded')
  const path = `/api/tasks/${taskId}/result`
  // The platform compresses text for whoever takes that, and then tells no length.
  const whole = await ada.get(path, { 'accept-encoding': 'identity' })
  expect(await whole.text()).toBe('one\ntwo\n')
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-disposition': expect.stringMatching(/^attachment; filename="[^"]+"/) as string,
    'content-length': '8',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'text/plain; charset=utf-8',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  const etag = whole.headers.get('etag') ?? ''
  const part = await ada.get(path, { range: 'bytes=4-6' })
  expect([part.status, await part.text()]).toEqual([206, 'two'])
  expect(part.headers.get('content-range')).toBe('bytes 4-6/8')
  const tail = await ada.get(path, { range: 'bytes=-4', 'if-range': etag })
  expect([tail.status, await tail.text()]).toEqual([206, 'two\n'])
  const other = await ada.get(path, { range: 'bytes=-4', 'if-range': '"other"' })
  expect([other.status, await other.text()]).toEqual([200, 'one\ntwo\n'])
  const beyond = await ada.get(path, { range: 'bytes=8-' })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */8'])
  expect((await ada.get(path, { 'if-none-match': etag })).status).toBe(304)
  const head = await ada.send(path, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '8', ''])
})

test('a result that isn’t there says why', async () => {
  const bad = await ada.upload(new Uint8Array([0x61, 0xff]), 'latin.txt')
  const failed = await ada.submit(bad)
  await ada.waitFor(failed, 'failed')
  expect((await ada.taskStatus(failed)).error?.code).toBe('INPUT_NOT_UTF8')
  expect((await ada.get(`/api/tasks/${failed}/result`)).status).toBe(404)

  const done = await ada.submit(fileId)
  await ada.waitFor(done, 'succeeded')
  const task = (await json(await ada.get(`/api/tasks/${done}`))) as { result: { fileId: string } }
  expect((await ada.post(`/files/${task.result.fileId}/delete`)).status).toBe(303)
  const gone = await ada.get(`/api/tasks/${done}/result`)
  expect([gone.status, await codeOf(gone)]).toEqual([410, 'RESULT_EXPIRED'])
})

test('the list goes both ways, loses and repeats nothing among equal times, and refuses what is broken', async () => {
  const bob = await signUp(site)
  const file = await bob.upload('x')
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) {
    const taskId = await bob.submit(file)
    await bob.waitFor(taskId, 'succeeded')
    ids.push(taskId)
  }
  await sql`update task set created_at = '2026-01-01T00:00:00Z' where id in ${sql(ids.slice(1, 4))}`
  const newestFirst = [ids[4], ids[0], ids[3], ids[2], ids[1]]

  interface Page {
    tasks: { id: string }[]
    nextCursor: string | null
    previousCursor: string | null
  }
  const page = async (query: string) => (await (await bob.get(`/api/tasks?${query}`)).json()) as Page
  const idsOf = ({ tasks }: Page) => tasks.map(({ id }) => id)

  const first = await page('limit=2')
  const second = await page(`limit=2&after=${first.nextCursor}`)
  const third = await page(`limit=2&after=${second.nextCursor}`)
  expect([first, second, third].flatMap(idsOf)).toEqual(newestFirst)
  expect([first.previousCursor, third.nextCursor]).toEqual([null, null])
  expect(idsOf(await page(`limit=2&before=${third.previousCursor}`))).toEqual(idsOf(second))
  expect(idsOf(await page(`limit=2&before=${second.previousCursor}`))).toEqual(idsOf(first))
  expect(idsOf(await page('status=succeeded'))).toEqual(newestFirst)
  expect(idsOf(await page('status=failed'))).toEqual([])
  // Somebody else's cursor is a place in time, not a way to their tasks.
  expect(idsOf(await page('limit=100'))).toHaveLength(5)

  for (const broken of [
    'after=x',
    'before=%00',
    `after=${btoa('[1,2]')}`,
    `after=${first.nextCursor}&before=${first.nextCursor}`,
    'limit=0',
    'limit=101',
    'limit=x',
    'status=other',
  ]) {
    const response = await bob.get(`/api/tasks?${broken}`)
    expect([broken, response.status, await codeOf(response)]).toEqual([broken, 400, 'INVALID_INPUT'])
  }
  for (const broken of ['/tasks?after=x', '/files?before=x']) {
    expect([broken, (await bob.get(broken)).status]).toEqual([broken, 400])
  }
})

test('over the limit a program is told how long to wait', async () => {
  const carol = await signUp(site)
  const submit = () =>
    carol.postJson('/api/tasks', { ...submission, fileId: randomUUID() }, { 'idempotency-key': randomUUID() })
  let refused = await submit()
  // Twenty a minute, and at most one new minute begins meanwhile.
  for (let count = 1; count <= 40 && refused.status === 404; count += 1) refused = await submit()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await json(refused)).toMatchObject({
    error: { code: 'RATE_LIMITED', family: 'task', retryAfterSeconds: 60 },
  })
})
