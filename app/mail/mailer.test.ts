import { expect, test } from 'vitest'
import { testContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { mailerFor, sendMail, type Mail } from './mailer.server'

const database = testDatabase()
const mail: Mail = { to: 'ada@example.test', subject: 'A new password', text: 'one\nhttps://site/secret' }

function made(env: Parameters<typeof mailerFor>[0]) {
  const printed: string[] = []
  return { printed, mailer: mailerFor(env, { siteName: 'Millrace', print: (text) => printed.push(text) }) }
}

test.each(['http://localhost:8787', 'http://127.0.0.1:1', 'http://[::1]:8787'])(
  'on a site at %s mail is shown in the terminal, whole',
  async (APP_ORIGIN) => {
    const { printed, mailer } = made({ APP_ORIGIN })
    await mailer?.send(mail)
    expect(printed).toEqual([
      '  | Mail to ada@example.test: A new password\n  | one\n  | https://site/secret',
    ])
  },
)

test.each(['https://millrace.example', 'http://192.168.1.2:8787', 'https://localhost.evil.example'])(
  'a site at %s without Email Service sends no mail and prints none',
  (APP_ORIGIN) => {
    expect(made({ APP_ORIGIN }).mailer).toBeNull()
  },
)

test('Email Service gets the letter in the site’s name, and nothing is printed', async () => {
  const sent: unknown[] = []
  const EMAIL = { send: (letter: unknown) => Promise.resolve(sent.push(letter)) } as unknown as SendEmail
  for (const APP_ORIGIN of ['https://millrace.example', 'http://localhost:8787']) {
    const { printed, mailer } = made({ APP_ORIGIN, EMAIL, MAIL_FROM: 'post@millrace.example' })
    await mailer?.send(mail)
    expect(printed).toEqual([])
  }
  const letter = { ...mail, from: { email: 'post@millrace.example', name: 'Millrace' } }
  expect(sent).toEqual([letter, letter])
})

test('a letter that isn’t taken is a line in the log, without the letter', async () => {
  const ctx = await testContext(database, {
    mailer: { send: () => Promise.reject(new Error(`no mail to ${mail.to}`)) },
  })
  await sendMail(ctx, mail)
  await sendMail({ ...ctx, mailer: null }, mail)
  expect(ctx.logged.map(({ event }) => event)).toEqual(['mail.failed', 'mail.failed'])
  for (const word of [mail.to, 'secret', 'password']) expect(JSON.stringify(ctx.logged)).not.toContain(word)
})
