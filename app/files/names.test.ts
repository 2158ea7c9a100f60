import { parse } from 'content-disposition'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachmentAs } from './disposition'
import { cleanName } from './names'

const bytesOf = (text: string) => new TextEncoder().encode(text).length

describe('a name for display and for saving', () => {
  it.each([
    ['notes.txt', 'notes.txt'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system.ini', 'system.ini'],
    ['C:\\Users\\Ada\\notes.txt', 'notes.txt'],
    ['/', 'file'],
    ['..', 'file'],
    ['', 'file'],
    ['   ', 'file'],
    ['\u0000\u0001', 'file'],
    ['a\u0000b.txt', 'a b.txt'],
    ['two\r\nlines.txt', 'two lines.txt'],
    ['X-Evil: 1\r\n\r\n<html>.txt', 'X-Evil_ 1 _html_.txt'],
    ['say "hi".txt', 'say _hi_.txt'],
    ['what?*|<>.txt', 'what_____.txt'],
    ['.env', '.env'],
    ['...hidden', '.hidden'],
    ['trailing dots...', 'trailing dots'],
    ['trailing spaces.txt   ', 'trailing spaces.txt'],
    ['con', '_con'],
    ['CON.txt', '_CON.txt'],
    ['nul .txt', '_nul .txt'],
    ['LPT1.log', '_LPT1.log'],
    ['COM¹', '_COM¹'],
    ['console.txt', 'console.txt'],
    ['e\u0301te\u0301.txt', '\u00e9t\u00e9.txt'],
    ['👩‍💻 notes.txt', '👩‍💻 notes.txt'],
    ['日本語.txt', '日本語.txt'],
    ['half \ud83d.txt', 'half .txt'],
  ])('%j becomes %j', (raw, clean) => {
    expect(cleanName(raw)).toBe(clean)
  })

  it('is shortened to what file systems take, and keeps its ending', () => {
    expect(cleanName(`${'a'.repeat(300)}.txt`)).toBe(`${'a'.repeat(196)}.txt`)
    expect(cleanName('a'.repeat(300))).toHaveLength(200)
    const emoji = cleanName(`${'🌊'.repeat(300)}.md`)
    expect(emoji).toBe(`${'🌊'.repeat(49)}.md`)
    expect(bytesOf(emoji)).toBeLessThanOrEqual(200)
  })

  it('is safe whatever was sent, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (raw) => {
        const clean = cleanName(raw)
        expect(clean).not.toBe('')
        expect(bytesOf(clean)).toBeLessThanOrEqual(200)
        expect(clean).not.toMatch(/[\p{Cc}\p{Surrogate}/\\"<>:|?*]|^\.+$|[\s.]$/u)
        expect(cleanName(clean)).toBe(clean)
      }),
    )
  })
})

describe('the header that a file is saved by', () => {
  it.each([
    ['notes.txt', 'notes.txt', 'notes.txt'],
    ["it's 100% (new).txt", "it's 100_ (new).txt", "it's 100% (new).txt"],
    ['é 日本.txt', '_ _.txt', 'é 日本.txt'],
    ['🌊.txt', '_.txt', '🌊.txt'],
    ['photo\u202etxt.exe', 'phototxt.exe', 'phototxt.exe'],
    ['\u202e', 'file', 'file'],
  ])('of %j has %j for any client and %j for those that know more', (name, plain, full) => {
    const header = attachmentAs(name)
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(/filename="([^"]*)"/.exec(header)?.[1]).toBe(plain)
    expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: full } })
  })

  it('can be read back whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }).map(cleanName), (name) => {
        const header = attachmentAs(name)
        expect(header).toMatch(/^attachment; filename="[^"\\%]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/)
        const saved = parse(header).parameters.filename ?? ''
        expect(saved).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
        expect(Array.from(name)).toEqual(expect.arrayContaining(saved === 'file' ? [] : Array.from(saved)))
      }),
    )
  })
})
