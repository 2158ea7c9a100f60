import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sql } from '~/db/client.server'
import { ROWS, type Row, type Things } from '~/testing/account-requests'
import { testDatabase } from '~/testing/database'
import { refuseClaims } from '~/testing/holds'
import { signUp, visitor, type Person, type RequestOptions } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

/** Routes that answer everybody. */
const PUBLIC = ['_index', 'login', 'signup', 'logout', 'forgot-password', 'reset-password', 'healthz', '$']

const SECRET = 'known-to-ada-only'
const nobodys = (): Things => ({
  file: randomUUID(),
  done: randomUUID(),
  waiting: randomUUID(),
  failed: randomUUID(),
})

let sql: Sql
let ada: Person
let eve: Person
let own: Things

beforeAll(async () => {
  sql = database.connect().$client
  ada = await signUp(site)
  eve = await signUp(site)
  const file = await ada.upload(`${SECRET}\n`, `${SECRET}.txt`)
  const done = await ada.submit(file)
  await ada.waitFor(done, 'succeeded')
  await refuseClaims(sql)
  const failed = await ada.submit(file)
  await ada.waitFor(failed, 'queued')
  await sql`
    update task set waiting_since = clock_timestamp() - interval '25 hours', next_delivery_at = clock_timestamp()
     where id = ${failed}`
  expect(await site.runCron()).toBe('ok')
  await ada.waitFor(failed, 'failed')
  own = { file, done, failed, waiting: await ada.submit(file) }
  await ada.waitFor(own.waiting, 'queued')
})

beforeEach(async () => void (await sql`delete from rate_limit`))

const nameOf = ({ method, path, route }: Row) =>
  `${method} ${path({ file: ':file', done: ':task', waiting: ':task', failed: ':task' }).replace(/key=[^&]+/, 'key')} (${route})`

function send(
  who: Pick<Person, 'send'>,
  row: Row,
  things: Things,
  options: RequestOptions = {},
  path = row.path(things),
) {
  const { method, fields, json } = row
  const headers = {
    ...(json && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    ...options.headers,
  }
  const body = json ? JSON.stringify(json(things)) : fields && new URLSearchParams(fields(things))
  return who.send(path, { method, body, ...options, headers })
}

/** As the browser asks with JavaScript. */
const asData = (path: string) => path.replace(/(\?|$)/, '.data$1')

async function answers(
  rows: readonly Row[],
  answer: (row: Row) => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const table: Record<string, unknown> = {}
  for (const row of rows) table[nameOf(row)] = await answer(row)
  return table
}

const tableOf = (rows: readonly Row[], expected: (row: Row) => unknown) =>
  Object.fromEntries(rows.map((row) => [nameOf(row), expected(row)]))

const isApi = ({ route }: Row) => route.startsWith('api.')
const CHANGES = ROWS.filter(({ method }) => method === 'POST')
const PAGES = ROWS.filter((row) => !isApi(row))

/** Everything that is stored for an account. */
async function storedFor({ email }: Person): Promise<unknown> {
  const [stored] = await sql`
    select (select jsonb_agg(to_jsonb(t) order by id) from task t where user_id = u.id) as tasks,
           (select jsonb_agg(to_jsonb(f) order by id) from file f where user_id = u.id) as files,
           (select jsonb_agg(to_jsonb(p) order by task_id) from task_input_pin p join task on id = task_id where user_id = u.id) as pins,
           (select jsonb_agg(to_jsonb(s) order by id) from session s where user_id = u.id) as sessions,
           (select to_jsonb(g) from storage_usage g where user_id = u.id) as usage
      from "user" u where email = ${email}`
  return stored
}

test('every route that is not for everybody has a row in this table', () => {
  const routes = readdirSync('app/routes').map((name) => name.replace(/\.tsx?$/, ''))
  const covered = new Set([...PUBLIC, ...ROWS.map(({ route }) => route)])
  expect(routes.filter((route) => !covered.has(route))).toEqual([])
})

test('without a session pages lead to the login and programs get 401, and nothing changes', async () => {
  const before = await storedFor(ada)
  const [, name, token, signature] = /^(.*)=(.*)\.(.*)$/.exec(ada.cookie) ?? []
  const forged = `${name}=${token}.${signature?.startsWith('A') ? 'B' : 'A'}${signature?.slice(1)}`
  for (const nobody of [visitor(site), visitor(site, forged)]) {
    expect(
      await answers(ROWS, async (row) => {
        const response = await send(nobody, row, own)
        if (isApi(row)) return response.status
        return [response.status, response.headers.get('location')?.startsWith('/login?redirectTo=%2F')]
      }),
    ).toEqual(tableOf(ROWS, (row) => (isApi(row) ? 401 : [303, true])))
    expect(
      await answers(PAGES, async (row) => (await send(nobody, row, own, {}, asData(row.path(own)))).text()),
    ).toEqual(
      tableOf(PAGES, ({ method }) =>
        method === 'HEAD' ? '' : (expect.stringContaining('/login?redirectTo=%2F') as string),
      ),
    )
  }
  expect(await storedFor(ada)).toEqual(before)
})

test('a mutation from another origin, from none or from "null" is refused, and nothing changes', async () => {
  const before = await storedFor(ada)
  const foreign = [
    null,
    'null',
    '',
    'https://evil.example',
    `${site.origin}.evil.example`,
    `${site.origin}0`,
    site.origin.replace('http', 'https'),
  ]
  const others = ['/login', '/signup', '/logout', '/', '/nowhere'].map((path): Row => ({
    route: 'public',
    method: 'POST',
    path: () => path,
    fields: () => ({ email: ada.email, password: ada.password, name: 'x' }),
    owner: 403,
    stranger: 403,
  }))
  const rows = [...CHANGES, ...others]
  for (const origin of foreign) {
    expect(await answers(rows, async (row) => (await send(ada, row, own, { origin })).status)).toEqual(
      tableOf(rows, () => 403),
    )
    const pages = rows.filter((row) => !isApi(row))
    expect(
      await answers(
        pages,
        async (row) => (await send(ada, row, own, { origin }, asData(row.path(own)))).status,
      ),
    ).toEqual(tableOf(pages, () => 403))
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect((await ada.send(`/tasks/${own.waiting}`, { method, origin: null })).status).toBe(403)
  }
  const refused = await send(ada, CHANGES.find(isApi)!, own, { origin: null })
  expect(await refused.json()).toMatchObject({ error: { code: 'BAD_ORIGIN' } })
  expect(await storedFor(ada)).toEqual(before)
})

test('another account is told "not found" of everything, as of what nobody has, and nothing changes', async () => {
  const before = await storedFor(ada)
  const read = async (row: Row, things: Things) => {
    const response = await send(eve, row, things)
    const body = await response.text()
    expect(body).not.toContain(SECRET)
    // Ids and nonces differ with every request.
    return { status: response.status, body: body.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id') }
  }
  const answered = await answers(ROWS, (row) => read(row, own))
  const statuses = Object.fromEntries(
    Object.entries(answered).map(([name, answer]) => [name, (answer as { status: number }).status]),
  )
  expect(statuses).toEqual(tableOf(ROWS, ({ stranger }) => stranger))
  await sql`delete from rate_limit`
  expect(await answers(ROWS, (row) => read(row, nobodys()))).toEqual(answered)

  await sql`delete from rate_limit`
  const notFound = PAGES.filter(({ stranger }) => stranger === 404)
  expect(
    await answers(notFound, async (row) => {
      const response = await send(eve, row, own, {}, asData(row.path(own)))
      expect(await response.text()).not.toContain(SECRET)
      return response.status
    }),
  ).toEqual(tableOf(notFound, () => 404))
  expect(await storedFor(ada)).toEqual(before)
})

test('the owner is answered', async () => {
  expect(await answers(ROWS, async (row) => (await send(ada, row, own)).status)).toEqual(
    tableOf(ROWS, ({ owner }) => owner),
  )
})

test('a session that was logged out is none', async () => {
  const leaving = await signUp(site)
  expect((await leaving.get('/tasks')).status).toBe(200)
  expect((await leaving.post('/logout')).headers.get('location')).toBe('/')
  expect((await leaving.get('/tasks')).headers.get('location')).toBe('/login?redirectTo=%2Ftasks')
  expect((await leaving.get('/api/tasks')).status).toBe(401)
})
