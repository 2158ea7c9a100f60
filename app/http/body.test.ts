import { afterEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { FORM_MAX_BYTES } from '../config/limits'
import { BrokenBody, DISCARD_OF_ANYBODY, openBody, readBounded, type IncomingBody } from './body.server'
import { parseFields, readForm, readJson } from './form.server'

const MIB = 1024 * 1024
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

/** Reads a body to its end; answers how much it was. */
async function drain(body: IncomingBody, maxBytes = 100 * MIB): Promise<number> {
  let bytes = 0
  for await (const block of body.blocks(maxBytes)) bytes += block.length
  return bytes
}

/** Sends nothing by itself: a test decides what comes and when. */
function slow() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const canceled = { yet: false }
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (canceled.yet = true),
  })
  return {
    body,
    canceled,
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes).fill(97)),
    end: () => controller.close(),
  }
}

/** How a promise has ended, without waiting for it. */
function watch<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => (seen.value = value),
    (error: unknown) => (seen.error = error),
  )
  return seen
}

afterEach(() => vi.useRealTimers())

describe('a bounded body', () => {
  test('is read up to its limit, to the byte', async () => {
    expect(await readBounded(post('12345'), 5)).toEqual(new TextEncoder().encode('12345'))
    expect(await readBounded(post('123456'), 5)).toBeNull()
  })

  test('may be missing or empty', async () => {
    expect(await readBounded(post(null), 5)).toEqual(new Uint8Array())
    expect(await readBounded(post(''), 5)).toEqual(new Uint8Array())
  })

  test('is not read at all when it announces more than anybody’s is read', async () => {
    const { body, asked } = endless('x')
    const announced = String(DISCARD_OF_ANYBODY.bytes + 1)
    expect(await readBounded(post(body, { 'Content-Length': announced }), 5)).toBeNull()
    // A stream fills its queue by one before anybody reads.
    expect(asked.times).toBeLessThanOrEqual(1)
    expect(asked.canceled).toBe(true)
  })

  test('too large by a little is read to its end, so that the connection goes on', async () => {
    const { body, send, end, canceled } = slow()
    for (let each = 0; each < 4; each++) send(100_000)
    end()
    expect(await readBounded(post(body, { 'Content-Length': '400000' }), 5)).toBeNull()
    expect(canceled.yet).toBe(false)
  })

  test.each([['2'], ['-1'], ['many'], ['']])(
    'is cut off when it is longer than announced (%j)',
    async (announced) => {
      const { body, asked } = endless('x'.repeat(64 * 1024))
      expect(await readBounded(post(body, { 'Content-Length': announced }), 10)).toBeNull()
      expect(asked.times).toBeLessThanOrEqual(DISCARD_OF_ANYBODY.bytes / (64 * 1024) + 3)
      expect(asked.canceled).toBe(true)
    },
  )

  test('shorter than announced is none', async () => {
    expect(await readBounded(post('1234', { 'Content-Length': '5' }), 10)).toBeNull()
  })

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

  test('of single bytes is gathered into pieces of a size', async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at)
    let at = 0
    const single = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        at < bytes.length ? controller.enqueue(bytes.subarray(at, ++at)) : controller.close(),
    })
    const pieces = []
    for await (const piece of openBody(post(single)).blocks(1024 * 1024)) pieces.push(piece)
    expect(pieces.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 200_000 - 3 * 65_536])
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
  })
})

describe('a slow body', () => {
  const SECOND = 1_000
  const MINUTE = 60 * SECOND

  test('that is silent for a minute is given up, as a form as well', async () => {
    vi.useFakeTimers()
    const { body, send, canceled } = slow()
    const reading = watch(readBounded(post(body), FORM_MAX_BYTES))
    send(1)
    await vi.advanceTimersByTimeAsync(MINUTE - SECOND)
    expect(reading).toEqual({})
    await vi.advanceTimersByTimeAsync(2 * SECOND)
    // It is still read on for the moment in which its rest may be dropped.
    await vi.advanceTimersByTimeAsync(DISCARD_OF_ANYBODY.ms)
    expect(reading).toEqual({ value: null })
    expect(canceled.yet).toBe(true)
  })

  test('that sends a byte a second is given up after a minute', async () => {
    vi.useFakeTimers()
    const { body, send } = slow()
    const reading = watch(drain(openBody(post(body, { 'Content-Length': String(10 * MIB) }))))
    for (let second = 0; second < 61; second++) {
      send(1)
      await vi.advanceTimersByTimeAsync(SECOND)
    }
    expect(reading.error).toBeInstanceOf(BrokenBody)
  })

  test('may take as long as 10 MiB take at 64 kbit/s, with breaks', async () => {
    vi.useFakeTimers()
    const { body, send, end } = slow()
    const reading = watch(drain(openBody(post(body))))
    let sent = 0
    for (let second = 0; sent < 10 * MIB; second++) {
      // Every other minute the connection is gone for twenty seconds.
      const gone = second % 120 < 20
      const bytes = gone ? 0 : Math.min(8_000, 10 * MIB - sent)
      if (bytes > 0) send(bytes)
      sent += bytes
      await vi.advanceTimersByTimeAsync(SECOND)
    }
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(reading).toEqual({ value: 10 * MIB })
  })

  test('is given up after an hour, whatever it is', async () => {
    vi.useFakeTimers()
    const { body, send } = slow()
    const reading = watch(drain(openBody(post(body)), 1000 * MIB))
    for (let sent = 0; sent < 72; sent++) {
      expect(reading).toEqual({})
      send(MIB)
      await vi.advanceTimersByTimeAsync(50 * SECOND)
    }
    expect(reading.error).toBeInstanceOf(BrokenBody)
  })

  test('isn’t blamed for the time that we take with its bytes', async () => {
    vi.useFakeTimers()
    const { body, send, end } = slow()
    const storing = async () => {
      let bytes = 0
      for await (const block of openBody(post(body)).blocks(MIB)) {
        bytes += block.length
        await new Promise((resolve) => setTimeout(resolve, 50 * SECOND))
      }
      return bytes
    }
    const reading = watch(storing())
    for (let each = 0; each < 3; each++) send(64 * 1024)
    end()
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(reading).toEqual({ value: 3 * 64 * 1024 })
  })
})

describe('what nobody wants of a body', () => {
  test('is dropped within bytes and time', async () => {
    const { body, asked } = endless('x'.repeat(1000))
    await openBody(post(body)).discard({ bytes: 10_000, ms: 1_000 })
    expect(asked.times).toBeLessThanOrEqual(12)
    expect(asked.canceled).toBe(true)

    vi.useFakeTimers()
    const silent = slow()
    const dropping = watch(openBody(post(silent.body)).discard({ bytes: 10_000, ms: 1_000 }))
    silent.send(1)
    await vi.advanceTimersByTimeAsync(999)
    expect(silent.canceled.yet).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([silent.canceled.yet, 'value' in dropping]).toEqual([true, true])
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
