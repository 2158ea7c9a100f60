import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { FileName } from './file-name'
import { shortName, visibleName } from './visible-name'

const character = (code: number) => String.fromCodePoint(code)

it('a change of direction in a name is shown, not obeyed', () => {
  const html = renderToStaticMarkup(<FileName name={`invoice${character(0x202e)}txt.exe`} />)
  expect(html).toContain('<bdi')
  expect(html).toContain('invoice⟨U+202E⟩txt.exe')
  expect(html).not.toContain(character(0x202e))
})

it.each([
  [0x00, '␀'],
  [0x0a, '␊'],
  [0x1b, '␛'],
  [0x7f, '␡'],
  [0x85, '⟨U+0085⟩'],
  [0x200b, '⟨U+200B⟩'],
  [0x2028, '⟨U+2028⟩'],
  [0x202a, '⟨U+202A⟩'],
  [0x2066, '⟨U+2066⟩'],
  [0x2069, '⟨U+2069⟩'],
  [0xfeff, '⟨U+FEFF⟩'],
  [0xe0041, '⟨U+E0041⟩'],
])('character %i becomes %s', (code, sign) => {
  expect(visibleName(`a${character(code)}b`)).toBe(`a${sign}b`)
})

it('names in any script and emoji made of several characters stay as they are', () => {
  const family = [0x1f468, 0x200d, 0x1f469].map(character).join('')
  for (const name of ['Überblick.txt', 'קובץ.txt', '報告書.txt', `${family}.txt`])
    expect(visibleName(name)).toBe(name)
})

it('markup in a name is text', () => {
  expect(renderToStaticMarkup(<FileName name="<img src=x>.txt" />)).toContain('&lt;img src=x&gt;.txt')
})

it('a long name loses its middle, keeps its ending, and gives the whole as a tooltip', () => {
  const name = `${'a'.repeat(200)}.final.txt`
  expect(Array.from(shortName(name)).length).toBe(55)
  const html = renderToStaticMarkup(<FileName name={name} short />)
  expect(html).toMatch(/a…a+\.final\.txt<\/bdi>$/)
  expect(html).toContain(`title="${name}"`)
})
