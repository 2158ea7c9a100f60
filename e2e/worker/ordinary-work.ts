import { randomUUID } from 'node:crypto'
import { holdAt } from '../../app/testing/holds'
import { logIn, signUp, visitor, type Person } from '../../app/testing/person'
import { wholeTask } from './rows'
import {
  detailOf,
  expectError,
  expectJson,
  expectStatus,
  same,
  sha256,
  type Story,
  type TaskJson,
} from './story'

/** Three kinds of line end, blanks at line ends, a byte-order mark, letters of several bytes, no line end at the end. */
export const INPUT = new TextEncoder().encode(
  '\ufeffone \r\ntwo\t\rGröße 60 × 35\u00a0\n\n\t three \t\r\nfour',
)
export const EXPECTED = new TextEncoder().encode('\ufeffone\ntwo\nGröße 60 × 35\u00a0\n\n\t three\nfour')

/** A task that has succeeded, and who owns it. */
export interface DoneTask {
  owner: Person
  taskId: string
  fileId: string
  resultId: string
}

/** Logging in, submitting, repeating, looking, downloading; and what another account gets to see of it. */
export async function doOrdinaryWork(story: Story): Promise<DoneTask> {
  const { site, step } = story
  const owner = await step('signed up, refused with a wrong password, logged in', async () => {
    const account = await signUp(site)
    const wrong = { email: account.email, password: `${account.password}x` }
    await expectStatus(await visitor(site).post('/login', wrong), 400)
    await expectStatus(await visitor(site).get('/api/tasks'), 401)
    return logIn(site, account)
  })
  const { fileId, taskId } = await step(
    'uploaded; submitted; repeats by program and by form are the same task',
    () => submitAndRepeat(owner),
  )
  await step('the task succeeded after one attempt', async () => {
    await owner.waitFor(taskId, 'succeeded')
    same('attempts', await outcomes(owner, taskId), ['succeeded'])
  })
  await step('list, page of the list, detail, page of the task and status agree', () => lookAt(owner, taskId))
  const resultId = (await detailOf(owner, taskId)).result?.fileId ?? ''
  const done = { owner, taskId, fileId, resultId }
  await step(
    `downloaded ${EXPECTED.length} bytes, SHA-256 ${sha256(EXPECTED).slice(0, 16)}…, with all headers; HEAD, range, 304`,
    () => checkDownload(done),
  )
  await step('another account gets 404 for everything of it, and changes nothing', () =>
    askAsStranger(story, done),
  )
  await step('duplicate messages, sent while it runs and after it ended: nothing runs again', () =>
    sendDuplicates(story, done),
  )
  await step('canceled: it ended at once, and messages about it run nothing', () =>
    cancelAndSend(story, done),
  )
  await step('retrying what succeeded or was canceled is refused with 409', async () => {
    await expectError(
      await owner.postJson(`/api/tasks/${taskId}/retry`, { attempts: 1 }),
      409,
      'NOT_RETRYABLE',
    )
    await expectStatus(await owner.post(`/tasks/${taskId}/retry`, { attempts: '1' }), 409)
  })
  return done
}

async function submitAndRepeat(owner: Person) {
  const fileId = await owner.upload(INPUT, 'Größe, notes.txt')
  const key = randomUUID()
  const body = { fileId, processor: 'text-normalize', params: { trimTrailing: true } }
  const send = (changes = {}) =>
    owner.postJson('/api/tasks', { ...body, ...changes }, { 'idempotency-key': key })
  const { id: taskId } = await expectJson<TaskJson>(await send(), 201)
  same('the repeat', (await expectJson<TaskJson>(await send(), 200)).id, taskId)
  await expectError(await send({ params: {} }), 409, 'REQUEST_CONFLICT')
  const form = { requestKey: key, fileId, processor: body.processor, trimTrailing: 'on' }
  const repeated = await expectStatus(await owner.post(`/tasks/new?key=${key}`, form), 303)
  same('where the repeated form leads', repeated.headers.get('location'), `/tasks/${taskId}`)
  return { fileId, taskId }
}

const outcomes = async (owner: Person, taskId: string) =>
  (await detailOf(owner, taskId)).attempts.map(({ outcome }) => outcome)

async function lookAt(owner: Person, taskId: string) {
  const list = await expectJson<{ tasks: TaskJson[] }>(await owner.get('/api/tasks?status=succeeded'), 200)
  same(
    'the list',
    list.tasks.map(({ id, status }) => [id, status]),
    [[taskId, 'succeeded']],
  )
  for (const path of ['/tasks', `/tasks/${taskId}`]) {
    const page = await (await expectStatus(await owner.get(path), 200)).text()
    if (!page.includes(taskId)) throw new Error(`${path} does not name the task`)
  }
  same('the status', (await owner.taskStatus(taskId)).status, 'succeeded')
}

/** Else the local edge, like Cloudflare's, compresses text on its way and leaves out its length. */
const AS_IT_IS = { 'accept-encoding': 'identity' }

/** The result's bytes, by both ways to them. */
export async function checkBytes({ owner, taskId, resultId }: DoneTask): Promise<Response> {
  let response: Response | undefined
  for (const path of [`/api/tasks/${taskId}/result`, `/files/${resultId}/download`]) {
    response = await expectStatus(await owner.get(path, AS_IT_IS), 200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    same(`the bytes of ${path}`, Buffer.from(bytes).toString('hex'), Buffer.from(EXPECTED).toString('hex'))
    same(`the SHA-256 of ${path}`, sha256(bytes), sha256(EXPECTED))
  }
  return response!
}

async function checkDownload(done: DoneTask) {
  const { headers } = await checkBytes(done)
  const etag = headers.get('etag') ?? ''
  if (!/^"[^"]+"$/.test(etag)) throw new Error(`ETag is ${etag}`)
  const expected = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(EXPECTED.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
  for (const [name, value] of Object.entries(expected)) same(name, headers.get(name), value)
  const disposition = headers.get('content-disposition') ?? ''
  if (!/^attachment; filename="[ -~]+"; filename\*=UTF-8''Gr%C3%B6%C3%9Fe/.test(disposition)) {
    throw new Error(`Content-Disposition is ${disposition}`)
  }
  const path = `/files/${done.resultId}/download`
  const head = await expectStatus(await done.owner.send(path, { method: 'HEAD', headers: AS_IT_IS }), 200)
  same('the length that HEAD tells', head.headers.get('content-length'), String(EXPECTED.length))
  await expectStatus(await done.owner.get(path, { 'if-none-match': etag }), 304)
  const part = await expectStatus(
    await done.owner.get(path, { ...AS_IT_IS, range: 'bytes=3-5', 'if-range': etag }),
    206,
  )
  same('the range', part.headers.get('content-range'), `bytes 3-5/${EXPECTED.length}`)
  same('its bytes', await part.text(), 'one')
}

async function askAsStranger({ site, sql }: Story, { taskId, fileId, resultId }: DoneTask) {
  const before = await wholeTask(sql, taskId)
  const stranger = await signUp(site)
  const paths = [
    ...['', '/status', '/result'].map((what) => `/api/tasks/${taskId}${what}`),
    ...[`/tasks/${taskId}`, `/files/${fileId}/download`, `/files/${resultId}/download`],
  ]
  for (const path of paths) await expectStatus(await stranger.get(path), 404)
  await expectStatus(await stranger.postJson(`/api/tasks/${taskId}/cancel`, {}), 404)
  await expectStatus(await stranger.postJson(`/api/tasks/${taskId}/retry`, { attempts: 1 }), 404)
  await expectStatus(await stranger.post(`/tasks/${taskId}/cancel`), 404)
  await expectStatus(await stranger.post(`/tasks/${taskId}/retry`, { attempts: '1' }), 404)
  await expectStatus(await stranger.post(`/files/${fileId}/delete`), 404)
  const submission = { fileId, processor: 'text-normalize', params: {} }
  const refused = await stranger.postJson('/api/tasks', submission, { 'idempotency-key': randomUUID() })
  await expectError(refused, 404, 'FILE_NOT_FOUND')
  const list = await expectJson<{ tasks: unknown[] }>(await stranger.get('/api/tasks'), 200)
  same('the stranger’s list', list.tasks, [])
  same('the task', await wholeTask(sql, taskId), before)
}

async function sendDuplicates({ site, sql, events }: Story, done: DoneTask) {
  const queue = await site.queueProducer()
  const stale = (taskId: string) =>
    events.of('task.claim', taskId).filter(({ outcome }) => outcome === 'stale').length

  const hold = await holdAt(sql, 'reserve')
  const running = await done.owner.submit(done.fileId)
  await hold.reached()
  await queue.send({ taskId: running, dispatchVersion: 1 })
  await queue.sendBatch([1, 1, 1].map((dispatchVersion) => ({ body: { taskId: running, dispatchVersion } })))
  // The local queue hands them over when the batch before them has ended.
  await hold.release()
  await done.owner.waitFor(running, 'succeeded')
  await events.waitFor('task.claim', { taskId: running, atLeast: 2 })
  same('attempts', await outcomes(done.owner, running), ['succeeded'])
  same('claims', events.of('task.claim', running).filter(({ outcome }) => outcome === 'claimed').length, 1)

  const before = await wholeTask(sql, done.taskId)
  for (const sent of [1, 2]) {
    await queue.send({ taskId: done.taskId, dispatchVersion: 1 })
    await events.waitFor('task.claim', { taskId: done.taskId, atLeast: 1 + sent })
  }
  same('stale messages', stale(done.taskId), 2)
  same('the ended task', await wholeTask(sql, done.taskId), before)
  await checkBytes(done)
}

async function cancelAndSend({ sql, site, events }: Story, { owner, fileId }: DoneTask) {
  const taskId = await sql.begin(async (tx) => {
    // Claims wait for this before they touch the task, so that the person comes first and the message later.
    await tx`lock table task_attempt in exclusive mode`
    const id = await owner.submit(fileId)
    const canceled = await expectJson<TaskJson>(await owner.postJson(`/api/tasks/${id}/cancel`, {}), 200)
    same('the status', canceled.status, 'canceled')
    return id
  })
  await events.waitFor('task.claim', { taskId, atLeast: 1 })
  await expectStatus(await owner.post(`/tasks/${taskId}/cancel`), 303)
  const before = await wholeTask(sql, taskId)
  await (await site.queueProducer()).send({ taskId, dispatchVersion: 1 })
  const claims = await events.waitFor('task.claim', { taskId, atLeast: 2 })
  same(
    'what became of its messages',
    claims.map(({ outcome }) => outcome),
    ['stale', 'stale'],
  )
  same('attempts', await outcomes(owner, taskId), [])
  same('the canceled task', await wholeTask(sql, taskId), before)
}
