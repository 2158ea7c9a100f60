import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { logIn, signUp, visitor, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)
const NEW = 'a password that is new'

let sql: Sql
beforeAll(() => {
  sql = database.connect().$client
})
beforeEach(async () => void (await sql`delete from rate_limit`))

const isIn = async (person: Person) => (await person.get('/api/tasks')).status === 200

async function sessionsOf(person: Person): Promise<string[]> {
  const html = await (await person.get('/account')).text()
  return [...html.matchAll(/\/account\/sessions\/([0-9a-f-]{36})\/end/g)].map(([, id = '']) => id)
}

/** The path of the link in the latest letter to that person, as the terminal shows it. */
async function linkTo({ email }: Person): Promise<string> {
  return vi.waitFor(() => {
    const lines = site.workerLines
    const letter = lines.slice(lines.findLastIndex((line) => line.includes(`Mail to ${email}:`)))
    const link = letter.map((line) => /(\/reset-password\?token=\S+)$/.exec(line)?.[1]).find(Boolean)
    if (!link) throw new Error('no letter came')
    return link
  })
}

test('a session that its owner ends is out with its next request, and nobody else can end it', async () => {
  const ada = await signUp(site)
  const elsewhere = await logIn(site, ada)
  const eve = await signUp(site)
  const [id = ''] = await sessionsOf(ada)
  const foreign = await eve.post(`/account/sessions/${id}/end`)
  expect(foreign.status).toBe(404)
  expect((await eve.post(`/account/sessions/${randomUUID()}/end`)).status).toBe(404)
  expect(await isIn(elsewhere)).toBe(true)
  const answer = await ada.post(`/account/sessions/${id}/end`)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
  expect([await isIn(elsewhere), await isIn(ada)]).toEqual([false, true])
})

test('signing out everywhere else leaves the session that asks', async () => {
  const ada = await signUp(site)
  const others = [await logIn(site, ada), await logIn(site, ada)]
  expect((await ada.post('/account/sessions/end-others')).status).toBe(303)
  expect(await Promise.all(others.map(isIn))).toEqual([false, false])
  expect(await isIn(ada)).toBe(true)
})

test('a changed password ends the other sessions, and a wrong current one changes nothing', async () => {
  const ada = await signUp(site)
  const elsewhere = await logIn(site, ada)
  const wrong = await ada.post('/account/password', { currentPassword: 'wrong', newPassword: NEW })
  expect(wrong.status).toBe(400)
  const page = await wrong.text()
  expect(page).toContain('That isn’t your password')
  expect(page).not.toContain(NEW)
  expect(await isIn(elsewhere)).toBe(true)
  const right = await ada.post('/account/password', { currentPassword: ada.password, newPassword: NEW })
  expect([right.status, right.headers.get('location')]).toEqual([303, '/account?after=password'])
  expect([await isIn(elsewhere), await isIn(ada)]).toEqual([false, true])
  expect(await isIn(await logIn(site, { ...ada, password: NEW }))).toBe(true)
})

test('tries of a password are limited, then the right one is no help either', async () => {
  const ada = await signUp(site)
  const statuses: number[] = []
  for (let each = 0; each < 11; each++)
    statuses.push((await ada.post('/account/delete', { password: 'wrong' })).status)
  // At most one new minute begins meanwhile.
  if (!statuses.includes(429)) return
  expect((await ada.post('/account/delete', { password: ada.password })).status).toBe(429)
  expect(await isIn(ada)).toBe(true)
})

test('a forgotten password is set anew by the link in the mail, once, and every session ends', async () => {
  const ada = await signUp(site)
  const known = await visitor(site).post('/forgot-password', { email: ` ${ada.email.toUpperCase()} ` })
  const unknown = await visitor(site).post('/forgot-password', {
    email: `nobody-${randomUUID()}@millrace.test`,
  })
  const told = async (answer: Response) => {
    const [main] = (await answer.text()).match(/<main[\s\S]*<\/main>/) ?? []
    return [answer.status, main]
  }
  expect(await told(known)).toEqual(await told(unknown))
  const link = await linkTo(ada)
  const someone = visitor(site)
  const page = await someone.get(link)
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  const html = await page.text()
  expect(html).toContain('name="newPassword"')
  expect(html.match(/(?:src|href)="(?:https?:)?\/\//g)).toBeNull()

  expect((await someone.post(link, { newPassword: 'short' })).status).toBe(400)
  const answer = await someone.post(link, { newPassword: NEW })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?after=reset'])
  expect(await isIn(ada)).toBe(false)
  expect(await isIn(await logIn(site, { ...ada, password: NEW }))).toBe(true)

  const again = await someone.post(link, { newPassword: 'a third password' })
  expect(again.status).toBe(410)
  expect(await again.text()).toContain('This link was used already')
  expect(await (await someone.get(link)).text()).toContain('Ask for a new link')
})

test('a deleted account leaves no row, and no object once the cron has gone round', async () => {
  const ada = await signUp(site)
  await ada.upload('text')
  const bucket = await site.bucket()
  expect((await bucket.list()).objects.length).toBeGreaterThan(0)
  const [user] = await sql<{ id: string }[]>`select id from "user" where email = ${ada.email}`
  const id = user?.id ?? ''
  expect((await ada.post('/account/delete', { password: 'wrong' })).status).toBe(400)
  expect(await isIn(ada)).toBe(true)
  const answer = await ada.post('/account/delete', { password: ada.password })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/?after=deletion'])
  expect(answer.headers.getSetCookie()).toContainEqual(expect.stringMatching(/session_token=; Max-Age=0/))
  expect(await (await visitor(site).get('/?after=deletion')).text()).toContain('Your account is deleted')
  expect(await isIn(ada)).toBe(false)

  const tables = await sql<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and (column_name = 'user_id' or (table_name = 'user' and column_name = 'id'))`
  for (const { table, column } of tables) {
    const rows = await sql`select from ${sql(table)} where ${sql(column)} = ${id}`
    expect([table, rows.length]).toEqual([table, 0])
  }
  expect(await sql`select from rate_limit where subject = ${id}`).toHaveLength(0)
  expect(await site.runCron()).toBe('ok')
  expect((await bucket.list()).objects).toEqual([])
})
