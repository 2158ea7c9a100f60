import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { minifyScripts } from './minify.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-minify-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const MODULE = `
  import { twice as double } from "/build/_shared/chunk-A.js"
  import styles from "/build/_assets/app.css"
  const unused = 1
  function answer(number) { const result = double(number); return result }
  export { answer as default, styles as s }
  export const later = () => import("/build/later-B.js")
`

it('modules get smaller under the same name, with the same imports and exports', async () => {
  mkdirSync(join(folder, '_shared'))
  writeFileSync(join(folder, '_shared', 'page-C.js'), MODULE)
  await minifyScripts(folder)
  const code = readFileSync(join(folder, '_shared', 'page-C.js'), 'utf8')
  expect(code.length).toBeLessThan(MODULE.length * 0.75)
  expect(code).toMatch(/import\{twice as \w+\}from"\/build\/_shared\/chunk-A\.js"/)
  expect(code).toMatch(/from"\/build\/_assets\/app\.css"/)
  expect(code).toMatch(/import\("\/build\/later-B\.js"\)/)
  expect(code).toMatch(/export\{\w+ as default,\w+ as s\}/)
  expect(code).toContain('export const later=')
  expect(code).not.toContain('unused')
})

it('a build is the same bytes each time, and what is no module stays as it is', async () => {
  const manifest = 'window.__remixManifest = { "routes": {} };'
  const once = async () => {
    writeFileSync(join(folder, 'page-C.js'), MODULE)
    writeFileSync(join(folder, 'manifest-D.js'), manifest)
    writeFileSync(join(folder, 'app.css'), 'a { color: red }')
    await minifyScripts(folder)
    return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  }
  const first = await once()
  expect(await once()).toEqual(first)
  expect(Object.fromEntries(first)).toMatchObject({
    'manifest-D.js': manifest,
    'app.css': 'a { color: red }',
  })
})
