import { describe, expect, it } from 'vitest'
import { acceptOf, fileTypeOf } from './types'

const text = (content: string) => new TextEncoder().encode(content)

describe('the type of a file', () => {
  it.each([
    ['PDF', '%PDF-1.7\n'],
    ['PNG', '\x89PNG\r\n\x1a\n'],
    ['JPEG', '\xff\xd8\xff\xe0'],
    ['GIF', 'GIF89a'],
    ['WebP', 'RIFF\x10\x20\x00\x00WEBP'],
    ['MP4', '\x00\x00\x00\x20ftypisom'],
    ['ZIP', 'PK\x03\x04'],
    ['gzip', '\x1f\x8b\x08'],
    ['bzip2', 'BZh91AY&SY'],
    ['ELF', '\x7fELF'],
    ['Windows program', 'MZ\x90\x00'],
    ['old Office', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    ['SQLite', 'SQLite format 3\x00'],
  ])('is not text when it begins as %s, whatever its name says', (_, start) => {
    const bytes = Uint8Array.from(`${start} and more`, (character) => character.charCodeAt(0))
    expect(fileTypeOf('notes.txt', bytes)).toBeNull()
    expect(fileTypeOf('notes', bytes)).toBeNull()
  })

  it.each(['BZh is how it begins', 'GIF8 bits', 'ID3 tags', 'MZ', 'OggS', 'RIFF raff', 'PK', 'fLaC'])(
    'is text when %j only reads like the beginning of another',
    (start) => {
      expect(fileTypeOf('notes.txt', text(start))).toBe('text/plain')
    },
  )

  it('is text in another encoding too: a processor may refuse it, keeping it is fine', () => {
    const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0x0a, 0x00)
    const latin1 = Uint8Array.of(0xe9, 0x74, 0xe9)
    expect(fileTypeOf('notes.txt', utf16)).toBe('text/plain')
    expect(fileTypeOf('notes', utf16)).toBe('text/plain')
    expect(fileTypeOf('notes.txt', latin1)).toBe('text/plain')
    expect(fileTypeOf('notes.txt', text('a\u0000b'))).toBe('text/plain')
  })

  it.each(['notes', 'NOTES.TXT', 'app.conf', 'main.py', 'a.b.c', '.env'])(
    'is text for the name %j',
    (name) => {
      expect(fileTypeOf(name, text('hello'))).toBe('text/plain')
    },
  )

  it.each(['photo.PNG', 'setup.exe', 'paper.pdf', 'sheet.xlsx'])('is not text for the name %j', (name) => {
    expect(fileTypeOf(name, text('hello'))).toBeNull()
  })
})

it('a file input is told types and endings of what processors take', () => {
  expect(acceptOf(['text/plain'])).toEqual(expect.arrayContaining(['text/plain', '.txt', '.md']))
  expect(acceptOf(['image/png'])).toEqual([])
})
