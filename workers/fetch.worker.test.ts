import { randomUUID } from 'node:crypto'
import { connect as connectSocket } from 'node:net'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { signUp, visitor, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
beforeAll(async () => {
  sql = database.connect().$client
  ada = await signUp(site)
})
beforeEach(async () => void (await sql`delete from rate_limit`))

const EVERYWHERE = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

test('every answer has the security headers and is kept by nobody', async () => {
  const answers = {
    page: await ada.get('/tasks'),
    data: await ada.get('/tasks.data'),
    json: await ada.get('/api/tasks'),
    'error page': await ada.get('/nowhere'),
    'error for a program': await ada.get('/api/nowhere'),
    redirect: await visitor(site).get('/tasks'),
    'redirect as data': await visitor(site).get('/tasks.data'),
    'refused form': await visitor(site).post('/login'),
    'foreign form': await visitor(site).send('/login', { method: 'POST', origin: 'https://evil.example' }),
    logout: await (await signUp(site)).post('/logout'),
  }
  for (const [name, answer] of Object.entries(answers)) {
    const headers = Object.fromEntries(answer.headers)
    expect(headers, name).toMatchObject({ ...EVERYWHERE, 'cache-control': 'private, no-store' })
    expect(headers['content-security-policy'], name).toMatch(
      /^default-src 'self'; script-src 'self' 'nonce-[\w-]+';/,
    )
    await answer.text()
  }
})

test('a page’s own scripts carry the nonce of its policy, and each page another one', async () => {
  const seen = new Set<string>()
  for (const path of ['/', '/files', '/tasks', '/nowhere']) {
    const response = await ada.get(path)
    const nonce = /'nonce-([\w-]+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? ''
    const html = await response.text()
    const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>/g)].map(([, attributes]) => attributes)
    expect(inline.length, path).toBeGreaterThan(0)
    for (const attributes of inline) expect(attributes, path).toContain(`nonce="${nonce}"`)
    // Neither of these runs or applies under the policy.
    expect(html, path).not.toMatch(/\son[a-z]+="|\sstyle="|<style/)
    seen.add(nonce)
  }
  expect(seen.size).toBe(4)
})

test('what no route answers is our own failure, as people and programs know it', async () => {
  const cases: [path: string, method: string, status: number, code: string][] = [
    ['/api/nowhere', 'GET', 404, 'NOT_FOUND'],
    ['/API/nowhere', 'GET', 404, 'NOT_FOUND'],
    [`/Api/tasks/${randomUUID()}`, 'GET', 404, 'NOT_FOUND'],
    ['/api/nowhere', 'POST', 404, 'NOT_FOUND'],
    [`/api/tasks/${randomUUID()}/cancel`, 'GET', 404, 'NOT_FOUND'],
    [`/api/tasks/${randomUUID()}/status`, 'POST', 404, 'NOT_FOUND'],
    ['/api/tasks', 'PROPFIND', 404, 'NOT_FOUND'],
  ]
  for (const [path, method, status, code] of cases) {
    const response = await ada.send(path, { method })
    expect([path, method, response.status, await response.json()]).toMatchObject([
      path,
      method,
      status,
      { error: { code } },
    ])
  }
  for (const [path, method] of [
    ['/files/x/download', 'GET'],
    ['/tasks/x/cancel', 'POST'],
    ['/healthz', 'POST'],
  ] as const) {
    const response = await ada.send(path, { method })
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      404,
      'text/html; charset=utf-8',
    ])
    expect(await response.text()).toContain('There is nothing here.')
  }
})

const connections = async () =>
  (
    await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  )[0]?.count

test('a request leaves no database connection behind', async () => {
  for (let each = 0; each < 5; each++) {
    await Promise.all(['/tasks', '/files', '/api/tasks', '/healthz', '/login'].map((path) => ada.get(path)))
  }
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000 })
})

test('a download that is read slowly, or given up, holds no database connection', async () => {
  const fileId = await ada.upload('x'.repeat(8 * 1024 * 1024))
  const { hostname, port } = new URL(site.address)
  const socket = connectSocket(Number(port), hostname)
  socket.write(
    `GET /files/${fileId}/download HTTP/1.1\r\nHost: ${new URL(site.origin).host}\r\nCookie: ${ada.cookie}\r\n\r\n`,
  )
  const head = await new Promise<string>((resolve) =>
    socket.once('data', (chunk) => resolve(chunk.toString('latin1'))),
  )
  socket.pause()
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect(head).toContain(`Content-Length: ${8 * 1024 * 1024}`)
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000 })

  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.destroy()
  await ended
  expect((await ada.get(`/files/${fileId}/download`, { range: 'bytes=0-0' })).status).toBe(206)
})

test('signing out ends the session for whoever else has its cookie', async () => {
  const eve = await signUp(site)
  const copy = visitor(site, eve.cookie)
  expect((await copy.get('/api/tasks')).status).toBe(200)
  const answer = await eve.post('/logout')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  expect(answer.headers.getSetCookie()).toContainEqual(expect.stringMatching(/session_token=; Max-Age=0/))
  expect((await copy.get('/api/tasks')).status).toBe(401)
  expect((await copy.get('/logout')).headers.get('location')).toBe('/')
})
