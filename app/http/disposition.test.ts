import { parse } from 'content-disposition'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanName } from '../files/names'
import { attachmentAs } from './disposition.server'

describe('the header that a file is saved by', () => {
  it.each([
    ['notes.txt', 'notes.txt', 'notes.txt'],
    ["it's 100% (new).txt", "it's 100_ (new).txt", "it's 100% (new).txt"],
    ['é 日本.txt', '_ _.txt', 'é 日本.txt'],
    ['🌊.txt', '_.txt', '🌊.txt'],
    ['photo\u202etxt.exe', 'phototxt.exe', 'phototxt.exe'],
    ['\u202e', 'file', 'file'],
    ['say "hi".txt', 'say _hi_.txt', 'say "hi".txt'],
    ['back\\slash.txt', 'back_slash.txt', 'back\\slash.txt'],
    ['a;b,c=d.txt', 'a;b,c=d.txt', 'a;b,c=d.txt'],
  ])('of %j has %j for any client and %j for those that know more', (name, plain, full) => {
    const header = attachmentAs(name)
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(/filename="([^"]*)"/.exec(header)?.[1]).toBe(plain)
    expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: full } })
  })

  it.each([
    ['a name that leaves its folder', '../../etc/passwd', 'passwd'],
    ['quotes', 'say "hi".txt', 'say _hi_.txt'],
    ['a new line that would begin a header', 'a\r\nSet-Cookie: x=1.txt', 'a Set-Cookie_ x=1.txt'],
    ['300 letters', `${'a'.repeat(300)}.txt`, `${'a'.repeat(196)}.txt`],
    ['300 emoji', `${'🌊'.repeat(300)}.md`, `${'🌊'.repeat(49)}.md`],
    ['a change of direction', 'photo\u202egpj.exe', 'photogpj.exe'],
    ['a name that Windows keeps for itself', 'CON.txt', '_CON.txt'],
  ])('is harmless for %s', (_, raw, saved) => {
    const header = attachmentAs(cleanName(raw))
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: saved } })
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
