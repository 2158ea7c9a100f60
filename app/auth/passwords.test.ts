import { beforeAll, describe, expect, test } from 'vitest'
import type { AppContext } from '../context.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { deleteAccount, logIn, signUp } from './accounts.server'
import {
  beginPasswordReset,
  changePassword,
  deleteAccountWithPassword,
  isResetToken,
  pruneResetLinks,
  RESET_LINK_MS,
  RESET_LINKS_MAX,
  resetPassword,
} from './passwords.server'
import {
  endOtherSessions,
  endOwnSession,
  listSessions,
  readSession,
  type SignedInUser,
} from './session.server'

const database = testDatabase()
const env = { APP_ORIGIN: 'http://localhost:8787', AUTH_SECRET: 'a secret of at least 32 characters' }
const NEW = 'a password that is new'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date() } })
})

interface Person {
  name: string
  email: string
  password: string
}

let made = 0
const details = () => ({ name: 'Ada', email: `ada${++made}@example.test`, password: 'correct horse battery' })

function cookieOf(signedIn: Awaited<ReturnType<typeof logIn>> | Awaited<ReturnType<typeof signUp>>): string {
  if ('refused' in signedIn) throw new Error(signedIn.refused)
  return signedIn.cookies[0]?.split(';')[0] ?? ''
}

const whose = (cookie: string, context: AppContext = ctx) => readSession(context, env, cookie)

async function expectUser(cookie: string): Promise<SignedInUser> {
  const user = await whose(cookie)
  if (!user) throw new Error('nobody is signed in')
  return user
}

/** Somebody with two sessions. */
async function person() {
  const ada = details()
  const here = cookieOf(await signUp(ctx, env, ada))
  const elsewhere = cookieOf(await logIn(ctx, env, { ...ada, device: 'Firefox on Linux' }))
  return { ada, here, elsewhere, user: await expectUser(here) }
}

async function tokenFor({ email }: Person): Promise<string> {
  const mail = await beginPasswordReset(ctx, env, email)
  const token = /\/reset-password\?token=([0-9a-f]{64})$/m.exec(mail?.text ?? '')?.[1]
  if (!token) throw new Error('no link was made')
  return token
}

describe('the sessions of an account', () => {
  test('are listed to their owner, the latest first, without those that ended', async () => {
    const { ada, here, elsewhere, user } = await person()
    await ctx.db.$client`
      insert into session (id, user_id, token, expires_at)
      values (gen_random_uuid(), ${user.id}, ${crypto.randomUUID()}, ${ctx.clock.now?.toISOString() ?? null})`
    const listed = await listSessions(ctx, user.id)
    expect(listed.map(({ id, device }) => [id, device])).toEqual([
      [(await expectUser(elsewhere)).sessionId, 'Firefox on Linux'],
      [(await expectUser(here)).sessionId, 'Unknown device'],
    ])
    expect(listed[0]?.begunAt).toBeInstanceOf(Date)
    expect(await listSessions(ctx, (await person()).user.id)).not.toContainEqual(listed[0])
    expect(await logIn(ctx, env, ada)).toHaveProperty('cookies')
  })

  test('end one by one, at once, and never by somebody else', async () => {
    const { here, elsewhere, user } = await person()
    const eve = await person()
    const { sessionId } = await expectUser(elsewhere)
    expect(await endOwnSession(ctx, eve.user.id, sessionId)).toBe('NOT_FOUND')
    expect(await whose(elsewhere)).not.toBeNull()
    expect(await endOwnSession(ctx, user.id, sessionId)).toBe('ended')
    expect(await whose(elsewhere)).toBeNull()
    expect(await whose(here)).not.toBeNull()
    expect(await endOwnSession(ctx, user.id, sessionId)).toBe('NOT_FOUND')
  })

  test('end all together but the one that asks', async () => {
    const { here, elsewhere, user } = await person()
    const eve = await person()
    await endOtherSessions(ctx, user)
    expect(await whose(here)).not.toBeNull()
    expect(await whose(elsewhere)).toBeNull()
    expect(await whose(eve.elsewhere)).not.toBeNull()
  })
})

describe('changing a password', () => {
  test('takes the current one, and ends every other session and every link', async () => {
    const { ada, here, elsewhere, user } = await person()
    const token = await tokenFor(ada)
    const changed = await changePassword(ctx, user, { currentPassword: ada.password, newPassword: NEW })
    expect(changed).toBe('changed')
    expect(await whose(here)).not.toBeNull()
    expect(await whose(elsewhere)).toBeNull()
    expect(await isResetToken(ctx, token)).toBe(false)
    expect(await logIn(ctx, env, ada)).toEqual({ refused: 'INVALID_CREDENTIALS' })
    expect(await logIn(ctx, env, { ...ada, password: NEW })).toHaveProperty('cookies')
  })

  test('with a wrong one changes nothing', async () => {
    const { ada, elsewhere, user } = await person()
    const changed = await changePassword(ctx, user, { currentPassword: 'wrong', newPassword: NEW })
    expect(changed).toBe('WRONG_PASSWORD')
    expect(await whose(elsewhere)).not.toBeNull()
    expect(await logIn(ctx, env, ada)).toHaveProperty('cookies')
  })

  test('five times at once happens once', async () => {
    const { ada, user } = await person()
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        changePassword({ ...ctx, db: database.connect() }, user, {
          currentPassword: ada.password,
          newPassword: `${NEW} ${index}`,
        }),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(1)
  })

  test('ends also a session that is being begun with the old one at that moment', async () => {
    const { ada, user } = await person()
    const other: AppContext = { ...ctx, db: database.connect() }
    const change = database.connect()
    let signingIn: ReturnType<typeof logIn> | undefined
    await change.$client.begin(async (transaction) => {
      const [row] = await transaction<{ password: string }[]>`
        select password from account where user_id = ${user.id}`
      await transaction`
        select engine.change_password(null, ${user.id}, ${row?.password ?? ''}, 'another hash', ${user.sessionId})`
      signingIn = logIn(other, env, ada)
      // Until the new session waits for the change.
      const waiting = () => ctx.db.$client`select from pg_locks where not granted`
      while ((await waiting()).length === 0);
    })
    expect(await signingIn).toEqual({ refused: 'INVALID_CREDENTIALS' })
    expect(await listSessions(ctx, user.id)).toHaveLength(1)
  })
})

describe('a link that sets a new password', () => {
  test('works once, ends every session, and spends the account’s other links', async () => {
    const { ada, here, elsewhere } = await person()
    const [token, second] = [await tokenFor(ada), await tokenFor(ada)]
    expect(await isResetToken(ctx, token)).toBe(true)
    expect(await resetPassword(ctx, token, NEW)).toBe('reset')
    for (const cookie of [here, elsewhere]) expect(await whose(cookie)).toBeNull()
    expect(await logIn(ctx, env, ada)).toEqual({ refused: 'INVALID_CREDENTIALS' })
    expect(await logIn(ctx, env, { ...ada, password: NEW })).toHaveProperty('cookies')
    for (const spent of [token, second]) {
      expect(await resetPassword(ctx, spent, 'a third password')).toBe('RESET_LINK_INVALID')
    }
    expect(await logIn(ctx, env, { ...ada, password: NEW })).toHaveProperty('cookies')
  })

  test('used five times at once works once', async () => {
    const { ada } = await person()
    const token = await tokenFor(ada)
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        resetPassword({ ...ctx, db: database.connect() }, token, `${NEW} ${index}`),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'reset')).toHaveLength(1)
  })

  test('ends after an hour by the database’s time, and is pruned then', async () => {
    const { ada } = await person()
    const timed = await testContext(database, { clock: { now: new Date() } })
    const mail = await beginPasswordReset(timed, env, ada.email)
    const token = /token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? ''
    timed.advance(RESET_LINK_MS - 1000)
    await pruneResetLinks(timed)
    expect(await isResetToken(timed, token)).toBe(true)
    timed.advance(1000)
    expect(await resetPassword(timed, token, NEW)).toBe('RESET_LINK_INVALID')
    expect(await logIn(ctx, env, ada)).toHaveProperty('cookies')
    expect(await pruneResetLinks(timed)).toBeGreaterThan(0)
  })

  test.each(['', 'nonsense', '0'.repeat(64), '0'.repeat(63), 'A'.repeat(64), '\u0000'])(
    'is not %j',
    async (token) => {
      expect(await isResetToken(ctx, token)).toBe(false)
      expect(await resetPassword(ctx, token, NEW)).toBe('RESET_LINK_INVALID')
    },
  )

  test('is not the one of another account', async () => {
    const [one, other] = [await person(), await person()]
    expect(await resetPassword(ctx, await tokenFor(one.ada), NEW)).toBe('reset')
    expect(await whose(other.here)).not.toBeNull()
    expect(await logIn(ctx, env, other.ada)).toHaveProperty('cookies')
  })

  test('is kept as a digest only, and goes with its account', async () => {
    const { ada, user } = await person()
    const token = await tokenFor(ada)
    const rows = await ctx.db.$client`select * from password_reset where user_id = ${user.id}`
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(ctx.logged)).not.toContain(token)
    await deleteAccount(ctx, user.id)
    expect(await ctx.db.$client`select from password_reset where user_id = ${user.id}`).toHaveLength(0)
    expect(await resetPassword(ctx, token, NEW)).toBe('RESET_LINK_INVALID')
  })

  test('is made for nobody who has no account, and so often an hour that nobody’s letter box is filled', async () => {
    expect(await beginPasswordReset(ctx, env, 'nobody@example.test')).toBeNull()
    const { ada } = await person()
    const begun = await Promise.all(
      Array.from({ length: RESET_LINKS_MAX + 3 }, () =>
        beginPasswordReset({ ...ctx, db: database.connect() }, env, ada.email),
      ),
    )
    expect(begun.filter(Boolean)).toHaveLength(RESET_LINKS_MAX)
    ctx.advance(RESET_LINK_MS)
    expect(await tokenFor(ada)).toMatch(/./)
  })
})

describe('deleting an account with its password', () => {
  test('takes the right one only', async () => {
    const { ada, here, user } = await person()
    expect(await deleteAccountWithPassword(ctx, user.id, 'wrong')).toBe('WRONG_PASSWORD')
    expect(await whose(here)).not.toBeNull()
    expect(await deleteAccountWithPassword(ctx, user.id, ada.password)).toBe('deleted')
    expect(await whose(here)).toBeNull()
  })

  test('leaves no counter that names it', async () => {
    const { ada, user } = await person()
    await ctx.db.$client`
      insert into rate_limit (scope, subject, window_start, count) values ('tasks.read', ${user.id}, now(), 1)`
    await deleteAccountWithPassword(ctx, user.id, ada.password)
    expect(await ctx.db.$client`select from rate_limit where subject = ${user.id}`).toHaveLength(0)
  })
})
