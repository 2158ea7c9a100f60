import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describe as describePages, weighPages } from './client-budget.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-budget-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** About that many bytes that don't get smaller. */
const heavy = (bytes: number) => `/*${randomBytes((bytes * 3) / 4).toString('base64')}*/`

function build(files: Record<string, string>) {
  const routes = {
    root: { id: 'root', module: '/build/root.js' },
    'routes/area': { id: 'routes/area', parentId: 'root', module: '/build/area.js' },
    'routes/area.page': { id: 'routes/area.page', parentId: 'routes/area', module: '/build/page.js' },
    'routes/ping': { id: 'routes/ping', parentId: 'root', module: '/build/ping.js' },
  }
  const defaults = {
    'build/manifest-ABC123.js': `window.__remixManifest=${JSON.stringify({ entry: { module: '/build/entry.js' }, routes })};`,
    'build/entry.js': 'import"./_shared/react.js";',
    'build/_shared/react.js': 'export const react=1',
    'build/root.js': 'var a="/build/_assets/app.css";export{a as default}',
    'build/_assets/app.css': 'body{}',
    'build/area.js': 'export{a as default}',
    'build/page.js': 'import{react}from"/build/_shared/react.js";export{a as default}',
    'build/ping.js': '',
  }
  for (const [path, code] of Object.entries({ ...defaults, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  return Object.fromEntries(weighPages(folder).map((weight) => [weight.page, weight]))
}

it.each(['entry', 'root', 'area', 'page', '_shared/react'])('a page weighs what it loads of %s', (part) => {
  const light = build({})['routes/area.page']!.javascript
  const code =
    part === 'page'
      ? 'import{react}from"/build/_shared/react.js";export{a as default}'
      : 'export{a as default}'
  const imports = part === 'entry' ? 'import"./_shared/react.js";' : ''
  const { javascript } = build({ [`build/${part}.js`]: imports + code + heavy(40_000) })['routes/area.page']!
  expect(javascript - light).toBeGreaterThan(29_000)
  expect(javascript - light).toBeLessThan(42_000)
})

it('what several modules import counts once, and what is imported on demand not at all', () => {
  const shared = { 'build/_shared/react.js': heavy(20_000), 'build/later.js': heavy(90_000) }
  const { javascript } = build({ ...shared, 'build/area.js': 'import("./later.js");export{a as default}' })[
    'routes/area.page'
  ]!
  expect(javascript).toBeLessThan(25_000)
})

it('a page doesn’t weigh what only other pages load', () => {
  const pages = build({ 'build/page.js': `export{a as default}${heavy(50_000)}` })
  expect(pages['routes/area']!.javascript).toBeLessThan(2_000)
})

it('counts the style sheets of the route and its parents', () => {
  const pages = build({ 'build/_assets/app.css': heavy(8_000) })
  expect(pages['routes/area.page']!.css).toBeGreaterThan(5_000)
})

it('lists pages only', () => {
  expect(Object.keys(build({}))).not.toContain('routes/ping')
})

it('names the pages over the budget of JavaScript or CSS', () => {
  const verdict = () => describePages(weighPages(folder)).at(-1)
  build({})
  expect(verdict()).not.toContain('Over')
  build({ 'build/page.js': `export{a as default}${heavy(140_000)}` })
  expect(verdict()).toMatch(/Over .*: routes\/area\.page$/)
  build({ 'build/_assets/app.css': heavy(25_000) })
  expect(verdict()).toMatch(/Over .*: .*routes\/area\b/)
})

it('says to build when there is nothing to weigh', () => {
  expect(() => weighPages(folder)).toThrow('npm run build')
})
