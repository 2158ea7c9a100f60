import { describe, expect, it } from 'vitest'
import { readEnvironment } from './environment.server'

const complete = {
  APP_ORIGIN: 'https://files.example.org',
  AUTH_SECRET: 'not-a-secret-but-long-enough-for-one',
  TASK_DEAD_QUEUE_NAME: 'millrace-dead',
  DATABASE_URL: 'postgres://127.0.0.1:5432/millrace',
}

describe('the environment', () => {
  it('is taken without the bindings that the site can start without', () => {
    expect(readEnvironment(complete)).toEqual(complete)
  })

  it('takes a database by its binding instead of its address', () => {
    const HYPERDRIVE = { connectionString: 'postgres://127.0.0.1:5432/millrace' }
    expect(readEnvironment({ ...complete, DATABASE_URL: undefined, HYPERDRIVE })).toMatchObject({
      HYPERDRIVE,
    })
  })

  it.each(['http://localhost:8787', 'https://example.org', 'https://example.org:8443', 'http://[::1]:8787'])(
    'takes the origin %s',
    (APP_ORIGIN) => {
      expect(readEnvironment({ ...complete, APP_ORIGIN }).APP_ORIGIN).toBe(APP_ORIGIN)
    },
  )

  it.each([
    ['APP_ORIGIN', undefined],
    ['APP_ORIGIN', 'nonsense'],
    ['APP_ORIGIN', ''],
    ['APP_ORIGIN', 'ftp://example.org'],
    ['APP_ORIGIN', 'https://example.org/'],
    ['APP_ORIGIN', 'https://example.org/site'],
    ['APP_ORIGIN', 'https://Example.org'],
    ['APP_ORIGIN', 'https://example.org:443'],
    ['APP_ORIGIN', 'https://ada@example.org'],
    ['AUTH_SECRET', undefined],
    ['AUTH_SECRET', 'short'],
    ['COOKIE_PREFIX', ''],
    ['DATABASE_URL', 'mysql://127.0.0.1/millrace'],
    ['HYPERDRIVE', 'postgres://127.0.0.1/millrace'],
    ['STORAGE', 'a bucket’s name'],
    ['TASK_QUEUE', null],
    ['TASK_DEAD_QUEUE_NAME', undefined],
    ['TASK_DEAD_QUEUE_NAME', ''],
    ['PROGRESS', 1],
    ['EMAIL', 'a name'],
    ['MAIL_FROM', 'nonsense'],
    ['EMAIL', undefined, { MAIL_FROM: 'post@example.org' }],
    ['MAIL_FROM', undefined, { EMAIL: {} }],
  ])('names %s when it is %j', (name, value, others?: Record<string, unknown>) => {
    expect(() => readEnvironment({ ...complete, ...others, [name]: value })).toThrow(
      new RegExp(`^  ${name}: `, 'm'),
    )
  })

  it('names everything that is wrong at once, with the rule', () => {
    expect(() => readEnvironment({ ...complete, APP_ORIGIN: 'localhost', AUTH_SECRET: 'short' })).toThrow(
      /APP_ORIGIN: scheme .*\n {2}AUTH_SECRET: at least 32 characters/,
    )
  })

  it('never repeats a value, which may be a secret', () => {
    const secrets = {
      AUTH_SECRET: 'hunter2',
      DATABASE_URL: 'mysql://ada:hunter2@host/db',
      APP_ORIGIN: 'hunter2',
    }
    try {
      readEnvironment({ ...complete, ...secrets })
      expect.unreachable()
    } catch (error) {
      expect(String(error)).not.toContain('hunter2')
    }
  })

  it('says which ways to a database there are when there is none', () => {
    expect(() => readEnvironment({ ...complete, DATABASE_URL: undefined })).toThrow(
      /HYPERDRIVE.*DATABASE_URL/,
    )
  })

  it.each([undefined, null, 'text'])('refuses %j in its place', (env) => {
    expect(() => readEnvironment(env)).toThrow(/^ {2}env: /m)
  })
})
