import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { FORM_MAX_BYTES } from '../config/limits'
import { readBounded } from './body.server'
import { parseFields, readForm, readJson } from './form.server'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A body without an end, which counts how often it was asked for more. */
function endless(chunk: string) {
  const asked = { times: 0, canceled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      asked.times += 1
      controller.enqueue(new TextEncoder().encode(chunk))
    },
    cancel() {
      asked.canceled = true
    },
  })
  return { body, asked }
}

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  // What Node wants for a body that is a stream.
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' }
  return new Request('https://millrace.example/login', init)
}

describe('a bounded body', () => {
  test('is read up to its limit, to the byte', async () => {
    expect(await readBounded(post('12345'), 5)).toEqual(new TextEncoder().encode('12345'))
    expect(await readBounded(post('123456'), 5)).toBeNull()
  })

  test('may be missing or empty', async () => {
    expect(await readBounded(post(null), 5)).toEqual(new Uint8Array())
    expect(await readBounded(post(''), 5)).toEqual(new Uint8Array())
  })

  test('is not read at all when it announces too much', async () => {
    const { body, asked } = endless('x')
    expect(await readBounded(post(body, { 'Content-Length': '6' }), 5)).toBeNull()
    // A stream fills its queue by one before anybody reads.
    expect(asked.times).toBeLessThanOrEqual(1)
    expect(asked.canceled).toBe(true)
  })

  test.each([['2'], ['-1'], ['many'], ['']])(
    'is cut off when it is longer than announced (%j)',
    async (announced) => {
      const { body, asked } = endless('xxx')
      expect(await readBounded(post(body, { 'Content-Length': announced }), 10)).toBeNull()
      expect(asked.times).toBeLessThanOrEqual(5)
      expect(asked.canceled).toBe(true)
    },
  )

  test('is put together from its pieces in their order', async () => {
    const pieces = ['ab', '', 'c', 'def']
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    expect(new TextDecoder().decode((await readBounded(post(body), 6)) ?? undefined)).toBe('abcdef')
  })
})

describe('a form', () => {
  test('is read as browsers send it', async () => {
    const form = await readForm(post('email=ada%40example.org&name=Ada+L%C3%B6w', FORM))
    expect(Object.fromEntries(form)).toEqual({ email: 'ada@example.org', name: 'Ada Löw' })
  })

  test.each([
    ['of another type', post('{"email":"x"}', { 'Content-Type': 'application/json' })],
    ['without a type', post(new Uint8Array([101, 61, 120]))],
    ['too large', post(`email=${'x'.repeat(FORM_MAX_BYTES)}`, FORM)],
  ])('%s has no fields', async (_, request) => {
    expect([...(await readForm(request))]).toEqual([])
  })

  const schema = z.object({ email: z.email('Not an e-mail.'), password: z.string().min(3, 'Too short.') })

  test('that is right is what its schema says', () => {
    const form = new URLSearchParams({ email: 'a@b.test', password: 'abc', other: 'dropped' })
    expect(parseFields(form, schema)).toEqual({ ok: true, value: { email: 'a@b.test', password: 'abc' } })
  })

  test('that is wrong comes back with what was typed, errors by field, and without the password', () => {
    const form = new URLSearchParams({ email: 'a', password: 'secret-but-wrong', redirectTo: '/tasks' })
    expect(parseFields(form, schema.extend({ password: z.string().max(3, 'Too long.') }))).toEqual({
      ok: false,
      reply: {
        values: { email: 'a', redirectTo: '/tasks' },
        errors: { email: ['Not an e-mail.'], password: ['Too long.'] },
      },
    })
  })
})

describe('a JSON body', () => {
  const schema = z.strictObject({ attempts: z.number().int() })

  test('is what its schema says', async () => {
    expect(await readJson(post('{"attempts":2}'), schema)).toEqual({ attempts: 2 })
  })

  test.each([[''], ['{'], ['null'], ['[]'], ['{"attempts":"2"}'], ['{"attempts":2,"other":1}']])(
    'that is something else is none: %j',
    async (body) => expect(await readJson(post(body), schema)).toBeNull(),
  )

  test('that is too large is none', async () => {
    expect(await readJson(post(`{"attempts":2}${' '.repeat(FORM_MAX_BYTES)}`), schema)).toBeNull()
  })
})
