import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppContext } from '../context.server'
import { testContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { deleteAccount, logIn, logOut, signUp } from './accounts.server'
import { beginPasswordReset, changePassword, isResetToken, resetPassword } from './passwords.server'
import { readSession } from './session.server'

// Round trips are what a request costs where the database is far away, so what they are is written down here.

const database = testDatabase()
const env = { APP_ORIGIN: 'http://localhost:8787', AUTH_SECRET: 'a secret of at least 32 characters' }
const ada = { name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' }

const statements: string[] = []
let client: postgres.Sql
let ctx: AppContext
let cookie: string

beforeAll(async () => {
  client = postgres(database.url, {
    max: 1,
    fetch_types: false,
    debug: (_, text) => void statements.push(text),
  })
  ctx = { ...(await testContext(database)), db: drizzle({ client }) }
  const signedIn = await signUp(ctx, env, ada)
  cookie = 'cookies' in signedIn ? (signedIn.cookies[0]?.split(';')[0] ?? '') : ''
})
afterAll(() => client.end())

async function statementsOf(operation: () => Promise<unknown>): Promise<number> {
  statements.length = 0
  await operation()
  return statements.length
}

test('whose request it is takes one statement', async () => {
  expect(await statementsOf(() => readSession(ctx, env, cookie))).toBe(1)
})

test('a request without a cookie, or with a forged one, takes none', async () => {
  expect(await statementsOf(() => readSession(ctx, env, null))).toBe(0)
  expect(await statementsOf(() => readSession(ctx, env, cookie.replace(/=./, '=x')))).toBe(0)
})

test('signing up takes four in their transaction, a taken e-mail one', async () => {
  expect(await statementsOf(() => signUp(ctx, env, { ...ada, email: 'eve@example.test' }))).toBe(4 + 2)
  expect(await statementsOf(() => signUp(ctx, env, ada))).toBe(1 + 2)
})

test('logging in takes four, with a wrong password two', async () => {
  expect(await statementsOf(() => logIn(ctx, env, ada))).toBe(4)
  expect(await statementsOf(() => logIn(ctx, env, { ...ada, password: 'wrong password' }))).toBe(2)
})

test('logging out takes one', async () => {
  expect(await statementsOf(() => logOut(ctx, env, cookie))).toBe(1)
})

test('deleting an account takes one', async () => {
  const { id } = await createUser(ctx)
  expect(await statementsOf(() => deleteAccount(ctx, id))).toBe(1)
})

test('changing a password takes two, with a wrong one one', async () => {
  const signedIn = await logIn(ctx, env, ada)
  const here = 'cookies' in signedIn ? (signedIn.cookies[0]?.split(';')[0] ?? '') : ''
  const user = await readSession(ctx, env, here)
  if (!user) throw new Error('nobody is signed in')
  const change = { currentPassword: ada.password, newPassword: 'another password' }
  expect(await statementsOf(() => changePassword(ctx, user, { ...change, currentPassword: 'wrong' }))).toBe(1)
  expect(await statementsOf(() => changePassword(ctx, user, change))).toBe(2)
})

test('asking for a new password takes one, whether or not there is an account, and setting it two', async () => {
  expect(await statementsOf(() => beginPasswordReset(ctx, env, 'nobody@example.test'))).toBe(1)
  let text = ''
  const begin = async () => (text = (await beginPasswordReset(ctx, env, ada.email))?.text ?? '')
  expect(await statementsOf(begin)).toBe(1)
  const token = /token=(\w+)/.exec(text)?.[1] ?? ''
  expect(await statementsOf(() => isResetToken(ctx, 'no token'))).toBe(0)
  expect(await statementsOf(() => resetPassword(ctx, token, 'a third password'))).toBe(2)
  expect(await statementsOf(() => resetPassword(ctx, token, 'a fourth password'))).toBe(1)
})
