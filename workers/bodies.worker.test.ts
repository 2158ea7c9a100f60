import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { signUp, type Person } from '~/testing/person'
import { openRawRequest } from '~/testing/raw-request'
import { testSite } from '~/testing/site'

const MIB = 1024 * 1024
const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
beforeAll(async () => {
  sql = database.connect().$client
  ada = await signUp(site)
})
beforeEach(async () => void (await sql`delete from rate_limit`))

const BOUNDARY = 'boundary-7'
const part = (fileName: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n${content}\r\n`
const END = `--${BOUNDARY}--\r\n`

const upload = (length: number, cookie = ada.cookie) =>
  openRawRequest(site, '/files', {
    cookie,
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(length),
    },
  })

const connections = async () =>
  (
    await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`
  )[0]?.count ?? 0

const noConnections = () => vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 10_000 })

/** How many uploads of Ada's have been let in so far. */
const letIn = async () =>
  (await sql<{ count: number }[]>`select count from rate_limit where scope = 'files.write'`)[0]?.count ?? 0

test('a body that comes after a long wait is stored all the same', async () => {
  const form = part('slow.txt', 'x'.repeat(1000)) + END
  const request = upload(form.length)
  await request.send(form.slice(0, 500))
  await vi.waitFor(async () => expect(await letIn()).toBe(1), { timeout: 10_000 })
  await noConnections()
  await request.send(form.slice(500))
  await vi.waitFor(() => expect(request.soFar).toMatch(/^HTTP\/1.1 303 /), { timeout: 10_000 })
  request.destroy()
  expect(await (await ada.get('/files')).text()).toContain('slow.txt')
})

test('a form that comes in one piece pays for one connection', async () => {
  const opened = async () =>
    Number((await sql`select sessions from pg_stat_database where datname = current_database()`)[0]?.sessions)
  const before = await opened()
  for (let each = 0; each < 20; each++) {
    expect((await ada.post('/tasks/new', { requestKey: 'none' })).status).toBe(400)
  }
  await vi.waitFor(async () => expect(await opened()).toBeGreaterThanOrEqual(before + 20), {
    timeout: 10_000,
  })
  // A busy machine may make one wait.
  expect(await opened()).toBeLessThan(before + 25)
})

describe('an answer that is ready before the body was read', () => {
  const body = 'x'.repeat(200_000)

  /** Two requests on one connection: the second is answered only if the first one's body is out of the way. */
  async function twice(path: string, headers: Record<string, string>, cookie = '') {
    const both = openRawRequest(site, path, {
      cookie,
      headers: { connection: 'keep-alive', 'content-length': String(body.length), ...headers },
    })
    await both.send(body)
    await vi.waitFor(() => expect(both.soFar).toMatch(/^HTTP/), { timeout: 10_000 })
    const host = new URL(site.address).host
    await both.send(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    const statuses = () => [...both.soFar.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => Number(status))
    await Promise.race([
      both.answer,
      vi.waitFor(() => expect(statuses()).toHaveLength(2), { timeout: 10_000 }),
    ])
    both.destroy()
    return statuses()
  }

  const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  test.each([
    ['another site’s form', '/login', 403, { origin: 'https://evil.example' }],
    ['nobody’s upload', '/files', 303, multipart],
    ['nobody’s task', '/api/tasks', 401, {}],
    ['no route’s', '/nowhere', 404, {}],
    ['no route’s method', '/healthz', 404, {}],
    ['a form of another type', '/login', 400, { 'content-type': 'text/plain' }],
    ['a form that is too large', '/login', 400, { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('leaves the connection to the next request: %s', async (_, path, status, headers) => {
    expect(await twice(path, headers)).toEqual([status, 200])
  })

  test('leaves the connection to the next request: too many, and what needs no body', async () => {
    expect(await twice('/logout', {}, (await signUp(site)).cookie)).toEqual([303, 200])
    await sql`insert into rate_limit (scope, subject, window_start, count)
      select scope, id, date_trunc('minute', clock_timestamp()) + interval '1 minute', 1000
        from "user", unnest(array['tasks.write', 'files.write']) as scope where email = ${ada.email}`
    expect(await twice('/api/tasks', {}, ada.cookie)).toEqual([429, 200])
    expect(await twice('/tasks/new', {}, ada.cookie)).toEqual([429, 200])
    expect(await twice('/files', multipart, ada.cookie)).toEqual([429, 200])
  })

  test('does not wait for a stranger who sends little, or without an end', async () => {
    const silent = openRawRequest(site, '/files', { headers: { ...multipart, 'content-length': '1000' } })
    expect(await silent.answer).toMatch(/^HTTP\/1.1 303 /)
    const endless = openRawRequest(site, '/files', {
      headers: { ...multipart, 'content-length': String(1024 * MIB) },
    })
    let sent = 0
    for (; sent < 100 * MIB && !endless.ended; sent += MIB) await endless.send(new Uint8Array(MIB))
    await endless.answer
    expect(sent).toBeLessThan(20 * MIB)
  })
})

// The last: its bodies all break off in the end.
test('bodies that are waited for hold no database connection, and everybody else is answered', async () => {
  const eve = await signUp(site)
  // A minute that has begun late, so that the count goes on beyond the real one's end.
  await sql`insert into rate_limit (scope, subject, window_start, count)
    select 'files.write', id, clock_timestamp() + interval '1 hour', 1 from "user" where email = ${ada.email}`
  const stalled = []
  for (let each = 1; each <= 210; each++) {
    stalled.push(upload(MIB))
    if (each % 30 > 0) continue
    await vi.waitFor(async () => expect(await letIn()).toBe(each + 1), { timeout: 10_000 })
    await noConnections()
  }
  expect((await eve.get('/tasks')).status).toBe(200)
  // The first, for which there was room, are still waited for; the others are refused once they have sent more or waited.
  expect(stalled.slice(0, 20).map(({ soFar }) => soFar)).toEqual(Array.from({ length: 20 }, () => ''))
  for (const request of stalled) request.destroy()
})
