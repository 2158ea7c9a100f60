import { beforeAll, describe, expect, test } from 'vitest'
import type { AppContext } from '../context.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { logIn, logOut, signUp } from './accounts.server'
import { createAuth, SESSION_SECONDS } from './auth.server'
import { pruneSessions, readSession } from './session.server'

const database = testDatabase()
const env = { APP_ORIGIN: 'http://localhost:8787', AUTH_SECRET: 'a secret of at least 32 characters' }

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database)
})

let made = 0
const person = () => ({ name: 'Ada', email: `ada${++made}@example.test`, password: 'correct horse battery' })

/** Cookies as a browser sends them back. */
const cookieHeader = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')

function cookiesOf(signedIn: { cookies: string[] } | { refused: string }): string {
  if ('refused' in signedIn) throw new Error(signedIn.refused)
  return cookieHeader(signedIn.cookies)
}

const rowsFor = async (email: string) => {
  const [row] = await ctx.db.$client`
    select (select count(*)::integer from "user" where email = ${email}) as users,
           (select count(*)::integer from account a join "user" u on u.id = user_id where email = ${email}) as credentials,
           (select count(*)::integer from session s join "user" u on u.id = user_id where email = ${email}) as sessions`
  return row
}

describe('signing up', () => {
  test('makes an account and signs in', async () => {
    const ada = person()
    const user = await readSession(ctx, env, cookiesOf(await signUp(ctx, env, ada)))
    expect(user).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
      sessionId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
      name: 'Ada',
      email: ada.email,
      isOperator: false,
    })
    expect(await rowsFor(ada.email)).toEqual({ users: 1, credentials: 1, sessions: 1 })
  })

  test('keeps no password, only its salted hash', async () => {
    const [ada, eve] = [person(), person()]
    for (const each of [ada, eve]) await signUp(ctx, env, each)
    const rows = await ctx.db.$client<{ password: string }[]>`
      select password from account join "user" u on u.id = user_id where email in (${ada.email}, ${eve.email})`
    expect(rows).toHaveLength(2)
    expect(rows[0]?.password).not.toBe(rows[1]?.password)
    expect(JSON.stringify(rows)).not.toContain(ada.password)
  })

  test('is refused for an e-mail that has an account, however it is written, and changes nothing', async () => {
    const ada = person()
    await signUp(ctx, env, ada)
    for (const email of [ada.email, ada.email.toUpperCase()]) {
      const again = await signUp(ctx, env, { ...ada, email, password: 'another password' })
      expect(again).toEqual({ refused: 'EMAIL_TAKEN' })
    }
    expect(await rowsFor(ada.email)).toEqual({ users: 1, credentials: 1, sessions: 1 })
    expect(await logIn(ctx, env, ada)).toHaveProperty('cookies')
  })

  test('five times at once makes one account', async () => {
    const ada = person()
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => signUp({ ...ctx, db: database.connect() }, env, ada)),
    )
    expect(outcomes.filter((outcome) => 'cookies' in outcome)).toHaveLength(1)
    expect(outcomes.filter((outcome) => 'refused' in outcome)).toHaveLength(4)
    expect(await rowsFor(ada.email)).toEqual({ users: 1, credentials: 1, sessions: 1 })
  })

  test.each(['account', 'session'])('that breaks off at its %s leaves the e-mail free', async (table) => {
    const ada = person()
    await ctx.db.$client.unsafe(`
      create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break_off before insert on ${table} for each row execute function break_off();`)
    await expect(signUp(ctx, env, ada)).rejects.toThrow()
    await ctx.db.$client`drop function break_off() cascade`
    expect(await rowsFor(ada.email)).toEqual({ users: 0, credentials: 0, sessions: 0 })
    expect(await signUp(ctx, env, ada)).toHaveProperty('cookies')
  })

  test('that the database refuses is an error and never a taken e-mail', async () => {
    await expect(signUp(ctx, env, { ...person(), name: 'A\u0000da' })).rejects.toThrow()
  })

  test('makes nobody an operator, whatever is sent along', async () => {
    const ada = {
      ...person(),
      isOperator: true,
      is_operator: true,
      emailVerified: true,
      id: crypto.randomUUID(),
    }
    const user = await readSession(ctx, env, cookiesOf(await signUp(ctx, env, ada)))
    expect(user).toMatchObject({ isOperator: false })
    expect(user?.id).not.toBe(ada.id)
  })
})

describe('logging in', () => {
  test('works with the e-mail in any case, and leaves other sessions alone', async () => {
    const ada = person()
    const first = cookiesOf(await signUp(ctx, env, ada))
    const second = cookiesOf(await logIn(ctx, env, { ...ada, email: ada.email.toUpperCase() }))
    expect(second).not.toBe(first)
    const [one, two] = [await readSession(ctx, env, first), await readSession(ctx, env, second)]
    expect(two).toEqual({ ...one, sessionId: two?.sessionId })
    expect(two?.sessionId).not.toBe(one?.sessionId)
  })

  test('answers an unknown e-mail and a wrong password alike', async () => {
    const ada = person()
    await signUp(ctx, env, ada)
    const refused = { refused: 'INVALID_CREDENTIALS' }
    expect(await logIn(ctx, env, { ...ada, password: 'wrong password' })).toEqual(refused)
    expect(await logIn(ctx, env, { ...ada, password: '' })).toEqual(refused)
    expect(await logIn(ctx, env, person())).toEqual(refused)
    expect(await rowsFor(ada.email)).toMatchObject({ sessions: 1 })
  })

  test('without a database is an outage, not a wrong password', async () => {
    const ada = person()
    await signUp(ctx, env, ada)
    const gone: AppContext = { ...ctx, db: database.connect() }
    await gone.db.$client.end()
    await expect(logIn(gone, env, ada)).rejects.toThrow()
    await expect(signUp(gone, env, person())).rejects.toThrow()
  })
})

describe('logging out', () => {
  test('ends this session at once, clears its cookie, and leaves others alone', async () => {
    const ada = person()
    const here = cookiesOf(await signUp(ctx, env, ada))
    const elsewhere = cookiesOf(await logIn(ctx, env, ada))
    const cleared = await logOut(ctx, env, here)
    expect(cleared).toContainEqual(
      expect.stringMatching(/^millrace\.session_token=; Max-Age=0; Path=\/; HttpOnly/),
    )
    expect(await readSession(ctx, env, here)).toBeNull()
    expect(await readSession(ctx, env, elsewhere)).toMatchObject({ email: ada.email })
    // Repeated, nothing changes.
    await logOut(ctx, env, here)
    expect(await rowsFor(ada.email)).toMatchObject({ sessions: 1 })
  })

  test('with a forged cookie, or none, ends nobody’s', async () => {
    const ada = person()
    const cookie = cookiesOf(await signUp(ctx, env, ada))
    for (const forged of [null, '', `${cookie}x`, cookie.replace(/\.[^.]*$/, '.AAAA')])
      await logOut(ctx, env, forged)
    expect(await rowsFor(ada.email)).toMatchObject({ sessions: 1 })
  })

  test('that could not end the session is an error: nobody may believe to be logged out', async () => {
    const cookie = cookiesOf(await signUp(ctx, env, person()))
    const gone: AppContext = { ...ctx, db: database.connect() }
    await gone.db.$client.end()
    await expect(logOut(gone, env, cookie)).rejects.toThrow()
    expect(await readSession(ctx, env, cookie)).not.toBeNull()
  })
})

describe('the session’s cookie', () => {
  test('is for this site’s requests only, out of reach of scripts, for thirty days', async () => {
    const signedIn = await signUp(ctx, env, person())
    expect('cookies' in signedIn && signedIn.cookies).toEqual([
      expect.stringMatching(
        /^millrace\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  test('is for https only where the site is, and is read there', async () => {
    const https = { ...env, APP_ORIGIN: 'https://millrace.example' }
    const signedIn = await signUp(ctx, https, person())
    const [cookie = ''] = 'cookies' in signedIn ? signedIn.cookies : []
    expect(cookie).toMatch(/^__Secure-millrace\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/)
    expect(await readSession(ctx, https, cookieHeader([cookie]))).not.toBeNull()
    // Another site on the same host sets cookies of its own: without the prefix it is not ours.
    expect(await readSession(ctx, env, cookieHeader([cookie]))).toBeNull()
  })

  test('of a site with another prefix is none of ours', async () => {
    const other: AppContext = { ...ctx, site: { ...ctx.site, cookiePrefix: 'second' } }
    const cookie = cookiesOf(await signUp(other, env, person()))
    expect(cookie).toMatch(/^second\.session_token=/)
    expect(await readSession(other, env, cookie)).not.toBeNull()
    expect(await readSession(ctx, env, cookie)).toBeNull()
  })

  test('is found among others, and only whole and signed with this site’s secret', async () => {
    const cookie = cookiesOf(await signUp(ctx, env, person()))
    const [name = '', value = ''] = cookie.split('=')
    const [token = '', signature = ''] = decodeURIComponent(value).split('.')
    const other = cookiesOf(await signUp(ctx, env, person()))
    const otherSignature = decodeURIComponent(other.split('=')[1] ?? '').split('.')[1] ?? ''
    const written = (text: string) => `${name}=${encodeURIComponent(text)}`

    expect(await readSession(ctx, env, `a=1; ${cookie}; x${name}=${value}`)).not.toBeNull()
    for (const broken of [
      written(token),
      written(`${token}.`),
      written(`.${signature}`),
      written(`${token}.${otherSignature}`),
      written(`${token}.${signature}x`),
      written(`${token.slice(1)}.${signature}`),
      written(`${token}.${signature.toLowerCase()}`),
      `${name}=%`,
      `x${cookie}`,
      name,
      '',
    ]) {
      expect([broken, await readSession(ctx, env, broken)]).toEqual([broken, null])
    }
    expect(
      await readSession(ctx, { ...env, AUTH_SECRET: 'another secret of 32 characters or so' }, cookie),
    ).toBeNull()
  })

  test('means to the auth library what it means to us', async () => {
    const cookie = cookiesOf(await signUp(ctx, env, person()))
    const theirs = await createAuth(ctx, env).api.getSession({ headers: new Headers({ Cookie: cookie }) })
    expect(theirs?.user.id).toBe((await readSession(ctx, env, cookie))?.id)
  })
})

describe('a session', () => {
  test('ends thirty days after signing in, by the database’s time, and then it is pruned', async () => {
    const timed = await testContext(database, { clock: { now: new Date() } })
    const ada = person()
    const cookie = cookiesOf(await signUp(timed, env, ada))
    timed.advance((SESSION_SECONDS - 60) * 1000)
    expect(await readSession(timed, env, cookie)).not.toBeNull()
    await pruneSessions(timed)
    expect(await rowsFor(ada.email)).toMatchObject({ sessions: 1 })
    timed.advance(120_000)
    expect(await readSession(timed, env, cookie)).toBeNull()
    expect(await pruneSessions(timed)).toBeGreaterThan(0)
    expect(await rowsFor(ada.email)).toMatchObject({ users: 1, sessions: 0 })
  })

  test('that is revoked ends at once, and so does one whose account is gone', async () => {
    const [ada, eve] = [person(), person()]
    const cookies = [cookiesOf(await signUp(ctx, env, ada)), cookiesOf(await signUp(ctx, env, eve))] as const
    await ctx.db.$client`delete from session s using "user" u where u.id = user_id and email = ${ada.email}`
    await ctx.db.$client`delete from "user" where email = ${eve.email}`
    for (const cookie of cookies) expect(await readSession(ctx, env, cookie)).toBeNull()
  })

  test('shows at once that its person has become an operator', async () => {
    const ada = person()
    const cookie = cookiesOf(await signUp(ctx, env, ada))
    await ctx.db.$client`update "user" set is_operator = true where email = ${ada.email}`
    expect(await readSession(ctx, env, cookie)).toMatchObject({ isOperator: true })
  })

  test('keeps no address, and of the browser the words that it is given', async () => {
    const ada = person()
    await signUp(ctx, env, ada)
    await logIn(ctx, env, { ...ada, device: 'Firefox on Android' })
    const rows = await ctx.db.$client<{ ip_address: string | null; user_agent: string | null }[]>`
      select ip_address, user_agent from session s join "user" u on u.id = user_id
       where email = ${ada.email} order by s.created_at`
    expect(rows.map(({ ip_address, user_agent }) => [ip_address || '', user_agent || ''])).toEqual([
      ['', ''],
      ['', 'Firefox on Android'],
    ])
  })
})
