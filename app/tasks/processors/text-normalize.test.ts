import { describe, expect, it } from 'vitest'
import { textNormalize } from './text-normalize.server'

const encoder = new TextEncoder()

async function run(input: string | Uint8Array, params: Record<string, unknown> = {}) {
  const parsed = textNormalize.parse(params)
  if (!parsed) throw new Error('invalid parameters')
  return textNormalize.run({
    bytes: typeof input === 'string' ? encoder.encode(input) : input,
    name: 'notes.txt',
    params: parsed,
    report: () => {},
    signal: new AbortController().signal,
  })
}

async function normalized(input: string | Uint8Array, params?: Record<string, unknown>) {
  const outcome = await run(input, params)
  if (!outcome.ok) throw new Error(outcome.code)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(outcome.bytes)
}

describe('text-normalize', () => {
  it.each([
    ['CRLF becomes LF', 'a\r\nb\r\n', 'a\nb\n'],
    ['a lone CR becomes LF', 'a\rb\r', 'a\nb\n'],
    ['LF stays', 'a\nb\n', 'a\nb\n'],
    ['CR CR LF is two line ends', 'a\r\r\nb', 'a\n\nb'],
    ['LF CR is two line ends', 'a\n\rb', 'a\n\nb'],
    ['no newline is added', 'a', 'a'],
    ['spaces and tabs stay unless asked', 'a \t\r\nb ', 'a \t\nb '],
    ['a byte-order mark is kept', '\uFEFFa\r\n', '\uFEFFa\n'],
    ['other line separators are content', 'a\u2028b\u0085c\vd\fe', 'a\u2028b\u0085c\vd\fe'],
    ['NUL bytes are content', 'a\0\r\nb', 'a\0\nb'],
  ])('%s', async (_, input, expected) => {
    expect(await normalized(input)).toBe(expected)
  })

  it.each([
    ['before each kind of line end', 'a \t\r\nb\t\rc  \nd', 'a\nb\nc\nd'],
    ['at the end of the last line', 'a\nb \t', 'a\nb'],
    ['leaving other white space', 'a\u00A0\nb\u3000\nc\v\n', 'a\u00A0\nb\u3000\nc\v\n'],
    ['leaving those inside and before a line', ' \ta \tb\n', ' \ta \tb\n'],
    ['from lines that hold nothing else', '  \n\t\n', '\n\n'],
    ['down to an empty result', ' \t ', ''],
  ])('with trimTrailing it removes spaces and tabs %s', async (_, input, expected) => {
    expect(await normalized(input, { trimTrailing: true })).toBe(expected)
  })

  it.each([
    ['a lone continuation byte', [0x61, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a character cut at the end', [0x61, 0xe2, 0x82]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
  ])('refuses %s', async (_, bytes) => {
    expect(await run(new Uint8Array(bytes))).toEqual({ ok: false, code: 'INPUT_NOT_UTF8' })
  })

  it('decodes characters that lie across the slices it reads', async () => {
    const text = 'x'.repeat(256 * 1024 - 1) + '€'.repeat(100_000)
    expect(await normalized(text)).toBe(text)
  })

  it('gives the same bytes every time, and for its own output', async () => {
    const input = 'a \r\nb\t\r\u00e9\uD83D\uDE00 \n'
    const first = await normalized(input, { trimTrailing: true })
    expect(await normalized(input, { trimTrailing: true })).toBe(first)
    expect(await normalized(first, { trimTrailing: true })).toBe(first)
  })

  it('refuses parameters it does not know', () => {
    expect(textNormalize.parse({ trimTrailing: true, other: 1 })).toBeNull()
    expect(textNormalize.parse({ trimTrailing: 'on' })).toBeNull()
    expect(textNormalize.parse({})).toEqual({ trimTrailing: false })
  })
})
