import { describe, expect, it } from 'vitest'
import { retrySchema, submissionSchema } from './task-api.server'
import { parseRetryForm, parseTaskForm } from './task-form.server'

const fields = {
  requestKey: '01890a5d-ac96-774b-bcce-b302099a8057',
  fileId: '01890a5d-ac96-774b-bcce-b302099a8058',
  processor: 'text-normalize',
}
const form = (changes: Record<string, string> = {}) =>
  parseTaskForm(new URLSearchParams({ ...fields, ...changes }))

describe('the form for a new task', () => {
  it('gives the processor its parameters', () => {
    expect(form({ trimTrailing: 'on' })).toMatchObject({
      ok: true,
      value: { ...fields, params: { trimTrailing: true } },
    })
    expect(form()).toMatchObject({ ok: true, value: { params: { trimTrailing: false } } })
  })

  it.each([
    ['fileId', { fileId: '' }],
    ['requestKey', { requestKey: 'x' }],
    ['processor', { processor: '' }],
    ['processor', { processor: 'rm' }],
    ['quotedPrice', { quotedPrice: '3000000000' }],
    ['', { shell: 'sh' }],
    ['', { constructor: 'x' }],
  ])('refuses what is wrong, beside the field %j, and keeps what was typed', (field, changes) => {
    const parsed = form(changes)
    expect(parsed).toMatchObject({ ok: false, reply: { values: { ...fields, ...changes } } })
    expect(!parsed.ok && Object.keys(parsed.reply.errors)).toEqual([field])
  })

  it('takes a captcha’s token by either name and never shows it again', () => {
    for (const name of ['captchaToken', 'cf-turnstile-response']) {
      expect(form({ [name]: 'token' })).toMatchObject({ ok: true, value: { captchaToken: 'token' } })
      expect(JSON.stringify(form({ [name]: 'token', fileId: '' }))).not.toContain('token"')
    }
  })
})

describe('the form for a retry', () => {
  it.each(['', ' ', '-1', '1.5', '1e3', 'x', '3000000000'])(
    'refuses %j as a count of attempts',
    (attempts) => {
      expect(parseRetryForm(new URLSearchParams({ attempts }))).toBeNull()
    },
  )

  it('takes a count', () => {
    expect(parseRetryForm(new URLSearchParams({ attempts: '2' }))).toEqual({
      attempts: 2,
      captchaToken: undefined,
    })
  })
})

it('programs can’t send numbers that the database has no room for', () => {
  expect(submissionSchema.safeParse({ ...fields, requestKey: undefined, quotedPrice: 2 ** 31 }).success).toBe(
    false,
  )
  expect(retrySchema.safeParse({ attempts: 2 ** 31 }).success).toBe(false)
})
