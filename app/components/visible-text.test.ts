import { expect, it } from 'vitest'
import { visibleText } from './visible-text'

it.each([
  ['plain text and tabs', ['a\tb\n'], 'a\tb\n'],
  ['NUL, escape and DEL', ['a\0b\u001b[31m\u007f'], 'a␀b␛[31m␡'],
  ['a change of direction', ['a\u202eb\u2066c\u061c'], 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+061C⟩'],
  ['what can’t be seen', ['a\u200b\ufeff\u00ad'], 'a⟨U+200B⟩⟨U+FEFF⟩⟨U+00AD⟩'],
  ['line separators of Unicode', ['a\u2028b\u2029c'], 'a⟨U+2028⟩b⟨U+2029⟩c'],
  ['a line end of Windows', ['a\r\nb'], 'a\nb'],
  ['a carriage return alone', ['a\rb\r\r\n'], 'a␍\nb␍\n\n'],
  ['bytes that are no text', ['a', Uint8Array.of(0xff, 0x0), 'b'], 'a⟨FF 00⟩b'],
  ['right to left text and joined emoji', ['קובץ 🧑‍🚀'], 'קובץ 🧑‍🚀'],
  ['markup', ['<script>&amp;'], '<script>&amp;'],
])('of %s', (_, pieces, text) => {
  expect(visibleText(pieces).text).toBe(text)
})

it('counts what it shows as a sign, and each kind of line end', () => {
  expect(visibleText(['a\0\r\nb\n\r', Uint8Array.of(0xc0, 0xc1), '\u202e'])).toMatchObject({
    bytes: 2,
    characters: 2,
    ends: { crlf: 1, lf: 1, cr: 1 },
  })
})
