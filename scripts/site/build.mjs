/**
 * The production bundle. Each build is kept in a folder named after its sources, so that an unchanged site starts without
 * building, and a build made for one copy of the site pulls nothing from under another one that is running.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { root } from './install.mjs'
import { minifyScripts } from './minify.mjs'
import { isRunning, run, until } from './processes.mjs'

/**
 * @typedef {object} Build
 * @property {string} worker folder with app.js, the Worker's one bundle
 * @property {string} assets folder of static files, the client's bundle included
 */

const kept = join(root, '.cache', 'site')
/** Builds that stay beside the newest; the ones that older running copies use are among them. */
const KEPT_BUILDS = 4

const SOURCE_FOLDERS = ['app', 'workers', 'public']
const SOURCE_FILES = [
  'package-lock.json',
  'remix.config.js',
  'postcss.config.js',
  'scripts/site/minify.mjs',
  'tsconfig.json',
  'wrangler.toml',
]

/** Keeps wrangler quiet, offline and without questions. */
export const toolEnv = () => ({
  ...process.env,
  CI: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: join(root, '.wrangler', 'logs'),
  NO_COLOR: '1',
})

/** A program that a package brings. @param {string} name */
export const bin = (name) => join(root, 'node_modules', '.bin', name)

/**
 * Builds the site unless it has been built from the very same sources. An abort ends the tools and leaves no half build.
 * @param {{ log?: (line: string) => void, signal?: AbortSignal, always?: boolean }} [options]
 * @returns {Promise<Build>}
 */
export async function buildSite({ log = () => {}, signal, always = false } = {}) {
  const unlock = await takeTurn(signal)
  try {
    for (let tries = 0; ; tries += 1) {
      const sources = hashSources()
      const folder = join(kept, sources)
      const build = { worker: join(folder, 'worker'), assets: join(folder, 'public') }
      if (existsSync(folder) && !(always && tries === 0)) {
        utimesSync(folder, new Date(), new Date())
        return build
      }
      log('Building …')
      await compile(log, signal)
      // Somebody saved a file meanwhile: what was built has no name.
      if (hashSources() !== sources && tries < 3) continue
      keep(folder)
      return build
    }
  } finally {
    unlock()
  }
}

/** @param {(line: string) => void} log @param {AbortSignal} [signal] */
async function compile(log, signal) {
  const options = { cwd: root, env: { ...toolEnv(), NODE_ENV: 'production' }, signal }
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await run(bin('remix'), ['build'], options)
  await minifyScripts(join(root, 'public', 'build'))
  log((await run(process.execPath, ['scripts/client-budget.mjs'], options)).trim())
  await run(bin('wrangler'), ['deploy', '--dry-run', '--outdir', 'dist'], options)
}

/** @param {string} folder */
function keep(folder) {
  // The same sources were built before, and a running copy may serve from there: what it serves stays.
  if (existsSync(folder)) return
  const half = `${folder}.${process.pid}`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { recursive: true })
  cpSync(join(root, 'dist'), join(half, 'worker'), { recursive: true })
  cpSync(join(root, 'public'), join(half, 'public'), { recursive: true })
  renameSync(half, folder)
  const old = readdirSync(kept, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && join(kept, entry.name) !== folder)
    .map((entry) => ({ path: join(kept, entry.name), time: statSync(join(kept, entry.name)).mtimeMs }))
    .sort((a, b) => b.time - a.time)
  for (const { path } of old.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true })
}

function hashSources() {
  const hash = createHash('sha256')
  const paths = [
    ...SOURCE_FOLDERS.flatMap((folder) => filesUnder(join(root, folder))),
    ...SOURCE_FILES.map((name) => join(root, name)),
  ]
  for (const path of paths.filter(isSource).sort()) {
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 20)
}

/** What ends up in the bundle or decides it. @param {string} path */
function isSource(path) {
  const name = relative(root, path).replaceAll('\\', '/')
  return !/^public\/build\/|^app\/testing\/|\.test\.tsx?$|\.sql$/.test(name) && existsSync(path)
}

/** @param {string} folder @returns {string[]} */
function filesUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/**
 * The tools write to fixed folders, so copies of the site that start at the same time build one after the other.
 * @param {AbortSignal} [signal]
 */
async function takeTurn(signal) {
  mkdirSync(kept, { recursive: true })
  const file = join(kept, 'building')
  const ticket = `${file}.${process.pid}`
  // A link appears with its content, so nobody can find a turn that is taken by no one.
  const take = () => {
    writeFileSync(ticket, String(process.pid))
    try {
      linkSync(ticket, file)
      return true
    } catch {
      return false
    } finally {
      rmSync(ticket, { force: true })
    }
  }
  while (!take()) {
    signal?.throwIfAborted()
    const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    // Its holder was killed: nobody else will take it away.
    if (!isRunning(holder)) rmSync(file, { force: true })
    else await until(() => !existsSync(file) || signal?.aborted === true, 1_000)
  }
  return () => rmSync(file, { force: true })
}
