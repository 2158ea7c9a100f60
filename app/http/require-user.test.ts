import type { AppLoadContext } from '@remix-run/cloudflare'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signUp } from '../auth/accounts.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import './load-context'
import { getUser, requireUser } from './require-user.server'

const database = testDatabase()
const ORIGIN = 'http://localhost:8787'
const env = {
  APP_ORIGIN: ORIGIN,
  AUTH_SECRET: 'a secret of at least 32 characters',
  TASK_DEAD_QUEUE_NAME: 'dead',
}

const statements: string[] = []
let client: postgres.Sql
let app: TestContext
let cookie: string
beforeAll(async () => {
  client = postgres(database.url, {
    max: 1,
    fetch_types: false,
    debug: (_, text) => void statements.push(text),
  })
  app = { ...(await testContext(database)), db: drizzle({ client }) }
  const ada = { name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' }
  const signedIn = await signUp(app, env, ada)
  cookie = 'cookies' in signedIn ? (signedIn.cookies[0]?.split(';')[0] ?? '') : ''
})
afterAll(() => client.end())

const context = (): AppLoadContext => ({ app, env, cspNonce: '', waitUntil: () => {} })
const request = (path: string, init: RequestInit = {}) => new Request(`${ORIGIN}${path}`, init)

test('however many loaders ask, a request looks at its session once', async () => {
  statements.length = 0
  const asked = context()
  const signedIn = request('/tasks', { headers: { Cookie: cookie } })
  const users = await Promise.all([
    getUser(signedIn, asked),
    requireUser(signedIn, asked),
    getUser(signedIn, asked),
  ])
  expect(users.map((user) => user?.email)).toEqual(Array(3).fill('ada@example.test'))
  expect(statements).toHaveLength(1)
})

test('the next request looks again', async () => {
  const signedIn = request('/tasks', { headers: { Cookie: cookie } })
  expect(await getUser(signedIn, context())).not.toBeNull()
  expect(await getUser(request('/tasks'), context())).toBeNull()
})

async function refusal(path: string, init?: RequestInit): Promise<Response> {
  const thrown: unknown = await requireUser(request(path, init), context()).catch((answer: unknown) => answer)
  if (!(thrown instanceof Response)) throw new Error(`${path} was let in`)
  return thrown
}

const ID = '01890000-0000-7000-8000-000000000000'
const post = { method: 'POST' }

test.each([
  ['/tasks', undefined, '/tasks'],
  ['/tasks?status=failed&after=x', undefined, '/tasks?status=failed&after=x'],
  [`/files/${ID}/download`, { method: 'HEAD' }, `/files/${ID}/download`],
  ['/files?index', post, '/files'],
  ['/tasks/new?key=1', post, '/tasks/new?key=1'],
  [`/tasks/${ID}/cancel`, post, `/tasks/${ID}`],
  [`/tasks/${ID}/retry`, post, `/tasks/${ID}`],
  [`/tasks/${ID}/give-up`, post, `/tasks/${ID}`],
  [`/files/${ID}/delete`, post, '/files'],
  ['/files/delete', post, '/files'],
  ['/tasks/cancel', post, '/tasks'],
])('without a session %s leads to the login and from there back to a page', async (path, init, back) => {
  const answer = await refusal(path, init)
  expect(answer.status).toBe(303)
  const location = new URL(answer.headers.get('Location') ?? '', ORIGIN)
  expect([location.pathname, location.searchParams.get('redirectTo')]).toEqual(['/login', back])
})

test.each(['/api/tasks', '/API/tasks'])('without a session a program is told so at %s', async (path) => {
  const answer = await refusal(path, post)
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED', family: 'task' } })
})
