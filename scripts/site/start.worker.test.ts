import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from './http-session.mjs'
import { root } from './install.mjs'
import { linksIn, textIn } from './page-reading.mjs'
import { freePort } from './ports.mjs'
import { isRunning } from './processes.mjs'
import { SAMPLE_NAME } from './sample.mjs'
import { temporaryFolder } from './temporary.mjs'

/** What `npm start` runs, and what it printed until now. */
interface Start {
  child: ChildProcess
  output: () => string
  /** Resolves once it has printed the text; throws when it ends before. */
  printed: (text: string) => Promise<void>
  exitCode: Promise<number | null>
}

const COOKIE_PREFIX = 'start-test'
const READY = 'Ctrl-C stops everything.'

const { path: dataDir, remove } = temporaryFolder()
const started: Start[] = []
let port: number
let origin: string
let site: Start

beforeAll(async () => {
  port = await freePort()
  origin = `http://localhost:${port}`
  site = start(dataDir)
  await site.printed(READY)
})

afterAll(async () => {
  for (const { child, exitCode } of started) {
    child.kill('SIGINT')
    await exitCode
  }
  remove()
})

function start(folder: string): Start {
  const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{ HOST: '', APP_ORIGIN: '', AUTH_SECRET: '', DATABASE_URL: '' },
      ...{ PORT: String(port), DATA_DIR: folder, COOKIE_PREFIX },
    },
  })
  let output = ''
  const keep = (chunk: Buffer) => (output += chunk.toString())
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => output.includes(text) && resolve()
      child.stdout.on('data', look)
      child.once('close', () => reject(new Error(`It ended without "${text}":\n${output}`)))
      look()
    })
  const run = { child, output: () => output, printed, exitCode }
  started.push(run)
  return run
}

/** The password that it printed. */
const passwordIn = (output: string) =>
  /Demo account: demo@millrace\.test, password (\S+)/.exec(output)?.[1] ?? ''

/** Somebody who has typed in what was printed. */
async function demoPerson(password: string) {
  const person = openSession(origin)
  const answer = await person.post('/login', { email: 'demo@millrace.test', password })
  expect(answer.status).toBe(303)
  return person
}

/** How often the account's files include the sample. */
async function samplesOf(person: { get: (path: string) => Promise<Response> }) {
  const shown = await (await person.get('/files')).text()
  expect(textIn(shown)).toContain(SAMPLE_NAME)
  return linksIn(shown).filter((link) => link.startsWith('/tasks/new?fileId=')).length
}

/** Numbers of all processes whose command line has the text in it. */
function processesWith(text: string): number[] {
  if (!existsSync('/proc/self/cmdline')) {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
    return stdout.split('\n').flatMap((line) => (line.includes(text) ? [Number.parseInt(line, 10)] : []))
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && contentOf(`/proc/${name}/cmdline`).includes(text))
    .map(Number)
}

/** Nothing when the process has ended meanwhile. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** The workerd processes that the start left a note of. */
const workerProcesses = (): number[] =>
  (JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as { children: number[] }).children

test('it says where it is, and is there', async () => {
  expect(site.output()).toContain(`Millrace is ready: ${origin}`)
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
})

test('the demo account that it printed signs in and finds the sample file once', async () => {
  expect(await samplesOf(await demoPerson(passwordIn(site.output())))).toBe(1)
})

test('cookies are named as COOKIE_PREFIX says', async () => {
  const person = await demoPerson(passwordIn(site.output()))
  expect(person.cookies()).toMatch(new RegExp(`^${COOKIE_PREFIX}\\b`))
})

test('forms are taken from the address that follows PORT, and from no other port', async () => {
  await demoPerson(passwordIn(site.output()))
  const elsewhere = openSession(`http://localhost:${port === 8787 ? 8788 : 8787}`, origin)
  const fields = { email: 'demo@millrace.test', password: passwordIn(site.output()) }
  expect((await elsewhere.post('/login', fields)).status).toBe(403)
})

test.runIf(process.getuid?.() === 0 && existsSync('/proc/self/status'))(
  'started by root, PostgreSQL runs as somebody else',
  () => {
    const servers = processesWith(join(dataDir, 'postgres'))
    expect(servers.length).toBeGreaterThan(0)
    for (const pid of servers)
      expect(contentOf(`/proc/${pid}/status`)).toMatch(/^Uid:\t(?!0\t)\d+\t(?!0\t)\d+\t/m)
  },
)

test('a second copy on the same port ends at once and says how to choose another', async () => {
  const other = temporaryFolder()
  try {
    const second = start(other.path)
    expect(await second.exitCode).toBe(1)
    expect(second.output()).toContain(`Port ${port} is taken`)
    expect(second.output()).toMatch(/PORT=\d+ npm start/)
    expect(processesWith(other.path)).toEqual([])
  } finally {
    other.remove()
  }
})

test('Ctrl-C ends it, with success and without leftovers; the next start has the same account and file', async () => {
  const password = passwordIn(site.output())
  const workers = workerProcesses()
  expect(workers.filter((pid) => isRunning(pid, 'workerd'))).not.toEqual([])
  expect(processesWith(dataDir)).not.toEqual([])

  const asked = performance.now()
  site.child.kill('SIGINT')
  expect(await site.exitCode).toBe(0)
  expect(performance.now() - asked).toBeLessThan(10_000)
  expect(processesWith(dataDir)).toEqual([])
  expect(workers.filter((pid) => isRunning(pid, 'workerd'))).toEqual([])

  const again = start(dataDir)
  await again.printed(READY)
  expect(passwordIn(again.output())).toBe(password)
  expect(await samplesOf(await demoPerson(password))).toBe(1)
})
