#!/usr/bin/env node
/**
 * What a page makes the browser load: all JavaScript of each route (entry, root, its parents, itself, and what they import
 * statically) and its style sheets, gzip as a server would send them. Fails when a page is over its budget. Runs at the end
 * of each build.
 *
 *   node scripts/client-budget.mjs [folder of static files, default public]
 */
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** In bytes, gzip, for everything that one page loads. React and Remix alone are 85 kB. */
export const BUDGET = { javascript: 100_000, css: 15_000 }

/**
 * @typedef {{ id: string, parentId?: string, module: string, imports?: string[] }} Route as Remix's manifest describes it
 * @typedef {{ entry: { module: string, imports?: string[] }, routes: Record<string, Route>, url: string }} Manifest
 * @typedef {{ page: string, javascript: number, css: number }} Weight bytes, gzip
 */

/**
 * Weighs every page of a build, the heaviest first.
 * @param {string} folder the static files, with `build/` in it @returns {Weight[]}
 */
export function weighPages(folder) {
  const read = (/** @type {string} */ url) => readFileSync(join(folder, url))
  /** @type {Map<string, number>} */
  const weights = new Map()
  const weigh = (/** @type {string} */ url) => {
    const weight = weights.get(url) ?? gzipSync(read(url), { level: 6 }).length
    weights.set(url, weight)
    return weight
  }
  const sum = (/** @type {Iterable<string>} */ urls) =>
    [...urls].reduce((total, url) => total + weigh(url), 0)

  const manifest = readManifest(folder)
  return Object.values(manifest.routes)
    .filter(({ id, module }) => id !== 'root' && hasPage(read(module).toString()))
    .map((page) => {
      const own = [...withParents(manifest, page)]
      const starts = [manifest.entry, ...own].flatMap(({ module, imports = [] }) => [module, ...imports])
      const scripts = withImports([manifest.url, ...starts], read)
      return { page: page.id, javascript: sum(scripts), css: sum(styleSheets(scripts, read)) }
    })
    .sort((a, b) => b.javascript - a.javascript || a.page.localeCompare(b.page))
}

/** A route for programs and forms only has no component. @param {string} code */
const hasPage = (code) => /\bas default\b|\bexport default\b/.test(code)

/** @param {string} folder @returns {Manifest} */
function readManifest(folder) {
  const built = join(folder, 'build')
  const names = existsSync(built) ? readdirSync(built).filter((name) => /^manifest-\w+\.js$/.test(name)) : []
  const [name] = names
  if (!name || names.length > 1)
    throw new Error(`Expected one manifest in ${built} and found ${names.length}. Run \`npm run build\`.`)
  const text = readFileSync(join(built, name), 'utf8')
  return { ...JSON.parse(text.slice(text.indexOf('=') + 1).replace(/;\s*$/, '')), url: `/build/${name}` }
}

/** @param {Manifest} manifest @param {Route} page */
function* withParents(manifest, page) {
  for (
    let route = /** @type {Route | undefined} */ (page);
    route;
    route = manifest.routes[route.parentId ?? '']
  )
    yield route
}

/**
 * These modules and all that they import statically, each once. A dynamic `import()` is loaded only when it is needed, and
 * doesn't count.
 * @param {string[]} urls @param {(url: string) => Buffer} read
 */
function withImports(urls, read) {
  const found = new Set(urls)
  for (const url of found) {
    for (const [, imported = ''] of read(url)
      .toString()
      .matchAll(/\b(?:from|import)\s*"([^"]+\.js)"/g)) {
      found.add(new URL(imported, `http://site${url}`).pathname)
    }
  }
  return found
}

/** Style sheets that the modules link to. @param {Iterable<string>} scripts @param {(url: string) => Buffer} read */
function styleSheets(scripts, read) {
  const found = new Set(/** @type {string[]} */ ([]))
  for (const url of scripts) {
    if (url.includes('/manifest-')) continue
    for (const [, sheet = ''] of read(url)
      .toString()
      .matchAll(/"([^"]+\.css)"/g)) {
      found.add(new URL(sheet, `http://site${url}`).pathname)
    }
  }
  return found
}

/** @param {Weight[]} pages @returns {string[]} a line for each page, and for each budget that is exceeded */
export function describe(pages) {
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`
  const lines = pages.map(
    ({ page, javascript, css }) =>
      `${kilobytes(javascript).padStart(9)} JavaScript ${kilobytes(css).padStart(8)} CSS  ${page.replace(/^routes\//, '')}`,
  )
  const over = pages.filter(isOver).map(({ page }) => page)
  if (over.length === 0) return lines
  return [
    ...lines,
    `Over the budget of ${kilobytes(BUDGET.javascript)} JavaScript and ${kilobytes(BUDGET.css)} CSS a page (gzip): ${over.join(', ')}`,
  ]
}

/** @param {Weight} page */
const isOver = ({ javascript, css }) => javascript > BUDGET.javascript || css > BUDGET.css

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'public')
  const pages = weighPages(folder)
  console.log(['What each page loads in all, gzip:', ...describe(pages)].join('\n'))
  process.exitCode = pages.some(isOver) ? 1 : 0
}
