/** A whole site on this machine: PostgreSQL, the migrated schema and the built Worker, started and stopped as one. */
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { migrate } from '../database/migrate.mjs'
import { buildSite } from './build.mjs'
import { claimDataDir, keptSecret } from './data-dir.mjs'
import { freePort, requireFreePort } from './ports.mjs'
import { isRunning } from './processes.mjs'
import { startPostgres } from './postgres.mjs'
import { startWorker } from './worker.mjs'

/**
 * @typedef {object} SiteOptions
 * @property {string} dataDir keeps the database, bucket, namespace and secrets between starts
 * @property {number} [port] a free one when left out
 * @property {string} [host] address to listen on; the loopback interface when left out
 * @property {string} [origin] where people reach the site; `http://localhost:<port>` when left out
 * @property {string} [databaseUrl] a PostgreSQL to use instead of starting one in `dataDir`; it is migrated
 * @property {string} [cookiePrefix] instead of the one in app/config/site.ts
 * @property {string} [authSecret] instead of one that is made once and kept in `dataDir`
 * @property {readonly ('STORAGE' | 'TASK_QUEUE')[]} [without] bindings that the Worker doesn't get
 * @property {boolean} [viaHyperdrive] the Worker gets the HYPERDRIVE binding instead of DATABASE_URL
 * @property {boolean} [durable] false for throw-away data: faster, and lost with the machine
 * @property {(line: string) => void} [log] progress of the start
 * @property {(line: string) => void} [workerLog] each line that the Worker prints
 * @property {AbortSignal} [signal] an abort ends the start and all that it has started, and throws
 */

/**
 * @typedef {object} Site
 * @property {string} origin where people reach it
 * @property {string} address where it listens on this machine
 * @property {string} databaseUrl
 * @property {boolean} isNew whether this start made the database
 * @property {() => Promise<string>} runCron the minute's round, now; answers "ok" when it threw nothing
 * @property {() => Promise<void>} restartWorker same data and address; whatever was in the local queue is lost
 * @property {() => Promise<void>} killWorker ends workerd at once, in the middle of whatever it does; `restartWorker` brings it back
 * @property {() => Promise<void>} reviveWorker starts workerd again if it has ended by itself
 * @property {() => Promise<import('@cloudflare/workers-types/2023-07-01').R2Bucket>} bucket
 * @property {() => Promise<import('@cloudflare/workers-types/2023-07-01').Queue>} queueProducer sends past the site's own code
 * @property {() => Promise<void>} stop ends everything that was started; a repeat does nothing
 */

/**
 * Starts a site and waits until it answers. When a part can't start, the others are stopped again and an error says why.
 * @param {SiteOptions} options @returns {Promise<Site>}
 */
export async function startSite(options) {
  const { host = '127.0.0.1', signal, log = () => {}, workerLog = () => {} } = options
  const dataDir = resolve(options.dataDir)
  /** @type {(() => unknown)[]} */
  const undo = []
  const stop = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    const port = options.port ?? (await freePort())
    const origin = options.origin ?? `http://localhost:${port}`
    const claim = await claimDataDir(dataDir, port)
    undo.push(claim.release)
    if (options.port) await requireFreePort(port, host)

    const [build, database] = await inTandem([
      buildSite({ log, signal }),
      openDatabase({ dataDir, options, onStarted: (end) => undo.push(end), log }),
    ])
    signal?.throwIfAborted()

    const start = async () => {
      const started = await startWorker({
        ...{ build, host, port, log: workerLog },
        persistTo: join(dataDir, 'worker'),
        databaseUrl: database.url,
        viaHyperdrive: options.viaHyperdrive ?? false,
        without: options.without ?? [],
        vars: {
          APP_ORIGIN: origin,
          AUTH_SECRET: options.authSecret ?? keptSecret(dataDir, 'auth-secret'),
          ...(options.cookiePrefix ? { COOKIE_PREFIX: options.cookiePrefix } : {}),
        },
      })
      claim.note(started.pid === undefined ? [] : [started.pid])
      return started
    }
    let worker = await start()
    let running = true
    const stopWorker = async () => {
      if (running) await worker.stop()
      running = false
    }
    undo.push(stopWorker)
    const address = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
    await requireAnswer(address, signal)

    const restartWorker = async () => {
      await stopWorker()
      worker = await start()
      running = true
    }
    return {
      origin,
      address,
      databaseUrl: database.url,
      isNew: database.isNew,
      runCron: () => worker.runCron(),
      restartWorker,
      reviveWorker: async () => {
        if (running && worker.pid !== undefined && !isRunning(worker.pid)) await restartWorker()
      },
      killWorker: async () => {
        if (running) await worker.kill()
        running = false
      },
      bucket: () => worker.bucket(),
      queueProducer: () => worker.queueProducer(),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * The database with the current schema: the one whose address was given, or one of our own.
 * @param {{ dataDir: string, options: SiteOptions, onStarted: (end: () => Promise<void>) => void, log: (line: string) => void }} what
 */
export async function openDatabase({ dataDir, options, onStarted, log }) {
  let url = options.databaseUrl
  let isNew = false
  if (!url) {
    log('Starting PostgreSQL …')
    const server = await startPostgres({
      dataDir: join(dataDir, 'postgres'),
      durable: options.durable ?? true,
      signal: options.signal,
    })
    onStarted(server.stop)
    url = server.url
    isNew = server.created
  }
  await migrate(url)
  await limitWaits(url, log)
  return { url, isNew }
}

/**
 * Bounds on waiting for a lock and on an abandoned transaction. Settings of the database, because a pooled connection
 * keeps no session's.
 * @param {string} url @param {(line: string) => void} log
 */
async function limitWaits(url, log) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const name = decodeURIComponent(new URL(url).pathname.slice(1))
  try {
    await sql`alter database ${sql(name)} set lock_timeout = '5s'`
    await sql`alter database ${sql(name)} set idle_in_transaction_session_timeout = '10s'`
  } catch (error) {
    // Only a database's owner may. A given one works without, but a stuck session can then hold up others for longer.
    const reason = error instanceof Error ? error.message : String(error)
    log(`The database keeps its own lock_timeout and idle_in_transaction_session_timeout (${reason}).`)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The Worker checks its environment at its first request: better here than at the first person's. @param {string} address @param {AbortSignal} [signal] */
async function requireAnswer(address, signal) {
  const response = await fetch(`${address}/healthz`, { signal })
  const body = (await response.text()).slice(0, 2_000)
  if (response.status >= 500) throw new Error(`The site answers /healthz with ${response.status}:\n${body}`)
}

/**
 * Both at once; when one fails, its error, but only after the other has come to its end and can be undone.
 * @template A, B @param {[Promise<A>, Promise<B>]} promises @returns {Promise<[A, B]>}
 */
async function inTandem(promises) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
