/**
 * The production bundle in workerd, with the settings of wrangler.toml: the names of queues, buckets and namespaces, the
 * retries, the assets and the compatibility date all come from there, so that what runs here is what is deployed.
 */
import { readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import process from 'node:process'
import { root } from './install.mjs'
import { startMiniflare } from './miniflare.mjs'
import { childrenWith, isRunning, until } from './processes.mjs'

/**
 * @typedef {object} WorkerSettings
 * @property {import('./build.mjs').Build} build
 * @property {string} host
 * @property {number} port
 * @property {string} persistTo folder of the local bucket and namespace; `wrangler dev --persist-to` takes the same
 * @property {Record<string, string>} vars go before those in wrangler.toml
 * @property {string} databaseUrl
 * @property {boolean} viaHyperdrive
 * @property {readonly ('STORAGE' | 'TASK_QUEUE')[]} without
 * @property {(line: string) => void} log gets each line that the Worker prints
 */

/**
 * @typedef {object} RunningWorker
 * @property {number | undefined} pid workerd's process
 * @property {() => Promise<string>} runCron fires the cron trigger once and answers its outcome, "ok" when nothing was thrown
 * @property {() => Promise<import('@cloudflare/workers-types/2023-07-01').R2Bucket>} bucket
 * @property {() => Promise<import('@cloudflare/workers-types/2023-07-01').Queue>} queueProducer
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} kill ends workerd like a power cut: nothing is finished, answered or written
 */

/** @param {WorkerSettings} settings @returns {Promise<RunningWorker>} */
export async function startWorker(settings) {
  const { host, port, log } = settings
  const miniflare = await startMiniflare(async () => ({
    ...(await optionsFor(settings)),
    host,
    port,
    handleRuntimeStdio: (stdout, stderr) => {
      forEachLine(stdout, log)
      forEachLine(stderr, log)
    },
  }))
  const [pid] = childrenWith('workerd', `entry=${host}:${port}`)
  return {
    pid,
    runCron: async () => {
      const worker = await miniflare.getWorker()
      const { outcome } = await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date() })
      return outcome
    },
    bucket: async () => /** @type {any} */ (await miniflare.getR2Bucket('STORAGE')),
    queueProducer: async () => /** @type {any} */ (await miniflare.getQueueProducer('TASK_QUEUE')),
    stop: () => miniflare.dispose(),
    kill: async () => {
      if (pid === undefined) throw new Error(`No workerd process was found for port ${port}.`)
      process.kill(pid, 'SIGKILL')
      await until(() => !isRunning(pid), 5_000)
      await miniflare.dispose()
    },
  }
}

/**
 * @param {WorkerSettings} settings
 * @returns {Promise<import('miniflare').MiniflareOptions>}
 */
async function optionsFor({ build, persistTo, vars, databaseUrl, viaHyperdrive, without }) {
  process.env.WRANGLER_SEND_METRICS = 'false'
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  const { unstable_getMiniflareWorkerOptions: readWorkerOptions } = await import('wrangler')
  const { workerOptions } = readWorkerOptions(join(root, 'wrangler.toml'), undefined, {
    overrides: { assets: { directory: build.assets } },
  })
  const { r2Buckets, queueProducers, bindings, ...settled } = workerOptions
  return {
    ...settled,
    modules: modulesIn(build.worker),
    modulesRoot: build.worker,
    bindings: { ...bindings, ...vars, ...(viaHyperdrive ? {} : { DATABASE_URL: databaseUrl }) },
    hyperdrives: viaHyperdrive ? { HYPERDRIVE: databaseUrl } : {},
    r2Buckets: without.includes('STORAGE') ? {} : r2Buckets,
    queueProducers: without.includes('TASK_QUEUE') ? {} : queueProducers,
    // Queues have no place here: workerd keeps local ones in memory, so a restart loses what is queued.
    defaultPersistRoot: join(persistTo, 'v3'),
    r2Persist: true,
    kvPersist: true,
    cachePersist: false,
  }
}

const MODULE_TYPES = /** @type {const} */ ({
  '.wasm': 'CompiledWasm',
  '.bin': 'Data',
  '.txt': 'Text',
  '.html': 'Text',
})

/**
 * The bundle and what wrangler laid beside it, named one by one: Miniflare's own search gives up at a computed `import()`.
 * @param {string} folder @returns {import('miniflare').ModuleDefinition[]}
 */
function modulesIn(folder) {
  /** @type {import('miniflare').ModuleDefinition[]} */
  const modules = [{ type: 'ESModule', path: join(folder, 'app.js') }]
  for (const name of readdirSync(folder)) {
    const type = MODULE_TYPES[/** @type {keyof typeof MODULE_TYPES} */ (extname(name))]
    if (type) modules.push({ type, path: join(folder, name) })
  }
  return modules
}

/** @param {import('node:stream').Readable} stream @param {(line: string) => void} take */
function forEachLine(stream, take) {
  let rest = ''
  stream.on('data', (chunk) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim()) take(line)
  })
}
