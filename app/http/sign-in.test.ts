import type { AppLoadContext } from '@remix-run/cloudflare'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FormReply } from '../components/form-reply'
import { SIGN_IN_PER_ADDRESS, SIGN_IN_PER_ADDRESS_AND_EMAIL } from '../config/limits'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import './load-context'
import { logInWithForm, signInPage, signUpWithForm } from './sign-in.server'

const database = testDatabase()
const ORIGIN = 'http://localhost:8787'
const PASSWORD = 'correct horse battery'

let app: TestContext
beforeAll(async () => {
  app = await testContext(database, { clock: { now: new Date() } })
})
beforeEach(async () => void (await app.db.$client`delete from rate_limit`))

function context(): AppLoadContext {
  const env = {
    APP_ORIGIN: ORIGIN,
    AUTH_SECRET: 'a secret of at least 32 characters',
    TASK_DEAD_QUEUE_NAME: 'dead',
  }
  return { app, env, cspNonce: '', waitUntil: () => {} }
}

interface Answer {
  status: number
  location: string | null
  retryAfter: string | null
  cookies: string[]
  reply: FormReply | null
}

type Handler = typeof logInWithForm

/** What a form is answered, as Remix would send it. */
async function send(
  handler: Handler,
  fields: Record<string, string>,
  address = '203.0.113.1',
): Promise<Answer> {
  const request = new Request(`${ORIGIN}/login`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'CF-Connecting-IP': address },
  })
  try {
    const { data, init } = await handler(request, context())
    const headers = new Headers(init?.headers)
    return {
      status: init?.status ?? 200,
      location: null,
      retryAfter: headers.get('Retry-After'),
      cookies: headers.getSetCookie(),
      reply: data.reply,
    }
  } catch (thrown) {
    if (!(thrown instanceof Response)) throw thrown
    const { status, headers } = thrown
    return {
      status,
      location: headers.get('Location'),
      retryAfter: headers.get('Retry-After'),
      cookies: headers.getSetCookie(),
      reply: null,
    }
  }
}

let made = 0
const person = () => ({ name: 'Ada', email: `ada${++made}@example.test`, password: PASSWORD })

describe('a right form', () => {
  test('signs up, and then in, and leads to the tasks or where it was wanted', async () => {
    const ada = person()
    const up = await send(signUpWithForm, ada)
    expect([up.status, up.location, up.cookies.length]).toEqual([303, '/tasks', 1])
    const back = await send(logInWithForm, { ...ada, redirectTo: '/tasks/new?key=1' })
    expect([back.status, back.location, back.cookies.length]).toEqual([303, '/tasks/new?key=1', 1])
  })

  test.each(['//evil.example', 'https://evil.example/', '/.//evil.example'])(
    'leads to no other site: %s',
    async (redirectTo) => {
      expect(await send(signUpWithForm, { ...person(), redirectTo })).toMatchObject({ location: '/tasks' })
    },
  )

  test('takes an e-mail with other case and space around it for the same', async () => {
    const ada = person()
    await send(signUpWithForm, ada)
    expect(await send(logInWithForm, { ...ada, email: ` ${ada.email.toUpperCase()} ` })).toMatchObject({
      status: 303,
    })
  })
})

describe('a wrong form', () => {
  test('comes back with what was typed, without the password, and what is wrong beside its field', async () => {
    const answer = await send(signUpWithForm, {
      name: ' ',
      email: 'ada@',
      password: 'short',
      redirectTo: '/files',
    })
    expect(answer).toMatchObject({ status: 400, cookies: [] })
    expect(answer.reply).toEqual({
      values: { name: ' ', email: 'ada@', redirectTo: '/files' },
      errors: {
        name: ['Enter your name.'],
        email: ['Enter an e-mail address, such as ada@example.org.'],
        password: ['At least 10 characters.'],
      },
    })
  })

  test('that is empty names every field', async () => {
    expect((await send(logInWithForm, {})).reply?.errors).toEqual({
      email: ['Enter your e-mail address.'],
      password: ['Enter your password.'],
    })
  })

  test.each([
    ['name', 'A\u0000da'],
    ['name', 'A\u001bda'],
    ['name', 'x'.repeat(81)],
    ['email', `${'x'.repeat(250)}@example.test`],
    ['email', 'a\u0000@example.test'],
    ['password', 'x'.repeat(129)],
  ])('is one whose %s is %j', async (field, value) => {
    const answer = await send(signUpWithForm, { ...person(), [field]: value })
    expect([answer.status, Object.keys(answer.reply?.errors ?? {})]).toEqual([400, [field]])
  })

  test('says plainly that an e-mail has an account', async () => {
    const ada = person()
    await send(signUpWithForm, ada)
    const answer = await send(signUpWithForm, ada)
    expect(answer).toMatchObject({ status: 400, cookies: [] })
    expect(answer.reply).toEqual({
      values: { name: ada.name, email: ada.email },
      errors: { email: ['There is an account with this e-mail already. Log in instead.'] },
    })
  })

  test('says the same of an unknown e-mail and a wrong password', async () => {
    const ada = person()
    await send(signUpWithForm, ada)
    const wrong = await send(logInWithForm, { email: ada.email, password: 'wrong password' })
    const unknown = await send(logInWithForm, { email: person().email, password: 'wrong password' })
    expect(wrong.status).toBe(400)
    expect(wrong.reply?.errors).toEqual({ '': [expect.stringContaining('belong together')] })
    expect(unknown.reply?.errors).toEqual(wrong.reply?.errors)
  })
})

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

describe('attempts', () => {
  const tries = async (times: number, fields: (index: number) => [Record<string, string>, string]) => {
    const statuses: number[] = []
    for (let index = 0; index < times; index++) {
      const [typed, address] = fields(index)
      statuses.push((await send(logInWithForm, typed, address)).status)
    }
    return statuses
  }

  test('by address and e-mail are limited, then the right password is no help either, until the next minute', async () => {
    const ada = person()
    await send(signUpWithForm, ada, '198.51.100.1')
    const wrong = { email: ada.email, password: 'wrong password' }
    const statuses = await tries(SIGN_IN_PER_ADDRESS_AND_EMAIL + 1, () => [wrong, '203.0.113.1'])
    expect(statuses).toEqual([...Array<number>(SIGN_IN_PER_ADDRESS_AND_EMAIL).fill(400), 429])

    const refused = await send(logInWithForm, { ...ada, redirectTo: '/files' })
    expect(refused).toMatchObject({ status: 429, retryAfter: '60', cookies: [] })
    expect(refused.reply?.values).toEqual({ name: 'Ada', email: ada.email, redirectTo: '/files' })
    expect(refused.reply?.errors['']).toEqual([expect.stringContaining('Wait a minute')])

    // Somebody else's attempts don't lock the person out.
    expect(await send(logInWithForm, ada, '198.51.100.1')).toMatchObject({ status: 303 })
    app.advance(60_000)
    expect(await send(logInWithForm, ada)).toMatchObject({ status: 303 })
  })

  test('by address alone are limited over all e-mails, and without any hashing', async () => {
    const hashing = await timeOf(() => tries(4, () => [person(), '198.51.100.7']))
    await app.db.$client`
      insert into rate_limit (scope, subject, window_start, count)
      select 'sign-in.address', encode(sha256(convert_to('203.0.113.1', 'utf8')), 'hex'),
             date_bin('1 minute', ${app.clock.now?.toISOString() ?? null}::timestamptz, 'epoch'), ${SIGN_IN_PER_ADDRESS}`
    const refused = await timeOf(async () => {
      const statuses = await tries(8, () => [person(), '203.0.113.1'])
      expect(new Set(statuses)).toEqual(new Set([429]))
    })
    expect(refused).toBeLessThan(hashing)
  })

  test('from one network of IPv6 addresses are one address’s', async () => {
    const ada = person()
    const typed = { email: ada.email, password: 'wrong password' }
    const statuses = await tries(SIGN_IN_PER_ADDRESS_AND_EMAIL + 1, (index) => [
      typed,
      `2001:db8:1:2::${index}`,
    ])
    expect(statuses.at(-1)).toBe(429)
    expect(await send(logInWithForm, typed, '2001:db8:1:3::1')).toMatchObject({ status: 400 })
  })

  test('to sign up count like those to log in', async () => {
    const ada = person()
    for (let each = 0; each < SIGN_IN_PER_ADDRESS_AND_EMAIL; each++) await send(logInWithForm, ada)
    expect(await send(signUpWithForm, ada)).toMatchObject({ status: 429 })
  })

  test('are kept as digests only', async () => {
    await send(logInWithForm, person())
    const rows = await app.db.$client<{ subject: string }[]>`select subject from rate_limit`
    expect(rows).toHaveLength(2)
    for (const { subject } of rows) expect(subject).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('the page', () => {
  const open = (path: string, cookie = '') =>
    signInPage(new Request(`${ORIGIN}${path}`, { headers: { Cookie: cookie } }), context())

  test('keeps where the person wanted to go', async () => {
    expect(await open('/login?redirectTo=%2Ffiles')).toEqual({ redirectTo: '/files', reset: false })
    expect(await open('/login')).toEqual({ redirectTo: null, reset: false })
  })

  test.each([
    ['/login?redirectTo=%2Ffiles', '/files'],
    ['/login?redirectTo=%2F%2Fevil.example', '/tasks'],
    ['/login', '/tasks'],
  ])('leads who is signed in already on: %s', async (path, location) => {
    const { cookies } = await send(signUpWithForm, person())
    const answer = await open(path, cookies[0]?.split(';')[0]).catch((thrown: unknown) => thrown)
    expect(answer).toBeInstanceOf(Response)
    expect((answer as Response).headers.get('Location')).toBe(location)
  })
})
