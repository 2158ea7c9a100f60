import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '~/testing/database'
import { refuseConnections } from '~/testing/outage'
import { signUp, visitor, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

let ada: Person
let fileId: string
let taskId: string
beforeAll(async () => {
  ada = await signUp(site)
  fileId = await ada.upload('one\r\n')
  taskId = await ada.submit(fileId)
})

/** What must not be told to anybody: where things are, what they are made of, what was thrown. */
const INTERNAL =
  /postgres|ECONN|allow_connections|SQLSTATE|plpgsql|engine\.|\bat .*:\d+:\d+|select |insert |thrown-by-the-test|test_[0-9a-f]{32}/i

async function expectUnexpected(response: Response, path: string) {
  const body = await response.text()
  expect([path, response.status]).toEqual([path, 500])
  expect(body, path).not.toMatch(INTERNAL)
  if (path.startsWith('/api/'))
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'UNEXPECTED', family: 'task' } })
  else expect(body, path).toContain('Something went wrong on our side')
}

test('without its database the site says so, tells nothing internal and comes back by itself', async () => {
  expect(await (await visitor(site).get('/healthz')).json()).toEqual({ status: 'ok' })
  const outage = await refuseConnections(database.url)
  await outage.endConnections()
  try {
    const health = await visitor(site).get('/healthz')
    expect([health.status, await health.text()]).toEqual([503, '{"status":"unavailable"}'])
    // Nobody needs the database to be told what this is.
    expect((await visitor(site).get('/')).status).toBe(200)
    expect((await visitor(site).get('/login')).status).toBe(200)

    for (const path of [
      '/tasks',
      '/files',
      `/tasks/${taskId}`,
      `/files/${fileId}/download`,
      '/api/tasks',
      `/api/tasks/${taskId}/status`,
      `/api/tasks/${taskId}/result`,
    ]) {
      await expectUnexpected(await ada.get(path), path)
    }
    const fields = { fileId, processor: 'text-normalize', requestKey: randomUUID() }
    await expectUnexpected(await ada.post('/tasks/new', fields), '/tasks/new')
    await expectUnexpected(await ada.post(`/tasks/${taskId}/cancel`), `/tasks/${taskId}/cancel`)
    await expectUnexpected(await ada.postJson('/api/tasks', {}), '/api/tasks')
    const { email, password } = ada
    await expectUnexpected(await visitor(site).post('/login', { email, password }), '/login')
    const data = await ada.get('/tasks.data')
    expect([data.status, await data.text()]).toEqual([500, expect.not.stringMatching(INTERNAL)])
  } finally {
    await outage.end()
  }
  expect((await visitor(site).get('/healthz')).status).toBe(200)
  await ada.waitFor(taskId, 'succeeded')
})

test('an error that nobody expected shows nothing of itself, and nothing is stored', async () => {
  const sql = database.connect().$client
  await sql.unsafe(`
    create function break_submission() returns trigger language plpgsql as $$
    begin raise exception 'thrown-by-the-test'; end $$;
    create trigger break_submission before insert on task for each row execute function break_submission();`)
  const fields = { fileId, processor: 'text-normalize' }
  await expectUnexpected(await ada.post('/tasks/new', { ...fields, requestKey: randomUUID() }), '/tasks/new')
  await expectUnexpected(
    await ada.postJson('/api/tasks', fields, { 'idempotency-key': randomUUID() }),
    '/api/tasks',
  )
  const data = await ada.post('/tasks/new.data', { ...fields, requestKey: randomUUID() })
  expect([data.status, await data.text()]).toEqual([500, expect.not.stringMatching(INTERNAL)])
  await sql`drop function break_submission() cascade`
  expect(await sql`select from task where id <> ${taskId}`).toHaveLength(0)
})

test('a body that no form or program of ours sends is a refusal, not an error', async () => {
  const key = { 'idempotency-key': randomUUID(), 'content-type': 'application/json' }
  for (const body of [
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{"fileId":1}',
    `{"fileId":"${fileId}","processor":"x","extra":1}`,
    '\u0000',
    'x'.repeat(70_000),
  ]) {
    const response = await ada.send('/api/tasks', { method: 'POST', body, headers: key })
    expect([body.slice(0, 40), response.status]).toEqual([body.slice(0, 40), 400])
    expect(await response.json()).toMatchObject({ error: { code: 'INVALID_INPUT' } })
  }
  for (const [path, type, body] of [
    ['/tasks/new', 'application/json', '{}'],
    ['/tasks/new', 'application/x-www-form-urlencoded', `requestKey=%00&fileId=${'%ff'.repeat(20)}`],
    ['/login', 'text/plain', 'email=x'],
    ['/signup', 'multipart/form-data; boundary=x', '--x'],
    ['/files?index', 'multipart/form-data; boundary=x', '--x\r\n'],
    ['/files?index', 'multipart/form-data', ''],
    [`/tasks/${taskId}/retry`, 'application/x-www-form-urlencoded', 'attempts=-1'],
    [`/tasks/${taskId}/retry`, 'application/x-www-form-urlencoded', 'attempts=x'],
  ] as const) {
    const who = path === '/login' || path === '/signup' ? visitor(site) : ada
    const response = await who.send(path, { method: 'POST', body, headers: { 'content-type': type } })
    expect([path, type, response.status]).toEqual([path, type, 400])
  }
  for (const path of [
    '/tasks/%00',
    '/tasks/nobody',
    '/files/%00/download',
    '/files/1/download',
    '/nowhere',
    '/%ff',
  ]) {
    expect([path, (await ada.get(path)).status]).toEqual([path, 404])
  }
})
