#!/usr/bin/env node
/**
 * What a page makes the browser load: all JavaScript of each route (entry, root, its parents, itself and what they import),
 * and all CSS, gzip as a server would send it. Fails when a page is over its budget. Runs at the end of each build.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const BUDGET_JS = 100_000
const BUDGET_CSS = 15_000

const built = join(dirname(fileURLToPath(import.meta.url)), '..', 'public', 'build')

/** @param {string} path as the manifest names it: `/build/…` */
const fileOf = (path) => join(built, '..', path)

/** @param {string} path */
const compressed = (path) => gzipSync(readFileSync(fileOf(path)), { level: 6 }).length

/** @returns {{ manifest: any, path: string }} */
function readManifest() {
  const names = readdirSync(built).filter((name) => /^manifest-[A-Z0-9]+\.js$/.test(name))
  if (names.length !== 1)
    throw new Error(`Expected one manifest in ${built} and found ${names.length}: build first.`)
  const text = readFileSync(join(built, names[0]), 'utf8')
  const manifest = JSON.parse(text.slice(text.indexOf('=') + 1).replace(/;\s*$/, ''))
  return { manifest, path: `/build/${names[0]}` }
}

/** Every module that these import statically, themselves included. @param {string[]} paths */
function withImports(paths) {
  const found = new Set(paths)
  for (const path of found) {
    const code = readFileSync(fileOf(path), 'utf8')
    for (const [, imported] of code.matchAll(/(?:from|import)\s*"([^"]+\.js)"/g)) {
      found.add(new URL(imported, `http://x${path}`).pathname)
    }
  }
  return [...found]
}

const { manifest, path: manifestPath } = readManifest()
const pages = Object.values(manifest.routes).filter((/** @type {any} */ route) => route.id !== 'root')
const sizes = pages.map((/** @type {any} */ page) => {
  const modules = [manifestPath, manifest.entry.module]
  for (let route = page; route; route = manifest.routes[route.parentId]) modules.push(route.module)
  const bytes = withImports(modules).reduce((sum, path) => sum + compressed(path), 0)
  return { id: String(page.id).replace(/^routes\//, ''), bytes }
})

const assets = join(built, '_assets')
const css = readdirSync(assets)
  .filter((name) => name.endsWith('.css'))
  .reduce((sum, name) => sum + compressed(`/build/_assets/${name}`), 0)

const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`
const [largest] = sizes.sort((a, b) => b.bytes - a.bytes)
if (process.argv.includes('--all'))
  for (const { id, bytes } of sizes) console.log(`${kilobytes(bytes).padStart(9)}  ${id}`)
console.log(
  `Client JavaScript, gzip: at most ${kilobytes(largest.bytes)} a page (${largest.id}) of ${kilobytes(BUDGET_JS)}; CSS ${kilobytes(css)} of ${kilobytes(BUDGET_CSS)}`,
)
if (largest.bytes > BUDGET_JS || css > BUDGET_CSS) {
  console.error('A page is over its budget. `node scripts/client-budget.mjs --all` lists all pages.')
  process.exit(1)
}
