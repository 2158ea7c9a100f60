import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
