/** `npm start` after the packages are there: the production bundle, served on this machine until somebody stops it. */
import { relative, resolve } from 'node:path'
import process from 'node:process'
import { seedDemoAccount } from './demo-account.mjs'
import { root } from './install.mjs'
import { aborted, runUntilInterrupted } from './interrupt.mjs'
import { everyMinute } from './minutes.mjs'
import { portFrom } from './ports.mjs'
import { startSite } from './site.mjs'

const { PORT, HOST, DATA_DIR, DATABASE_URL, APP_ORIGIN, AUTH_SECRET, COOKIE_PREFIX } = process.env

await runUntilInterrupted(serve, { interruptedCode: 0 })

/** @param {AbortSignal} signal */
async function serve(signal) {
  const dataDir = resolve(root, DATA_DIR || '.data')
  const site = await startSite({
    dataDir,
    signal,
    port: portFrom(PORT, 8787),
    host: HOST || undefined,
    origin: APP_ORIGIN || undefined,
    databaseUrl: DATABASE_URL || undefined,
    authSecret: AUTH_SECRET || undefined,
    cookiePrefix: COOKIE_PREFIX || undefined,
    log: console.log,
    workerLog: console.log,
  })
  const stopCron = everyMinute(() => runRound(site))
  try {
    await greet(site, dataDir)
    await aborted(signal)
  } finally {
    stopCron()
    await site.stop()
  }
}

/** @param {import('./site.mjs').Site} site @param {string} dataDir */
async function greet(site, dataDir) {
  const lines = [`Millrace is ready: ${site.origin}`]
  if (!DATABASE_URL) {
    try {
      const { origin, address, isNew } = site
      const demo = await seedDemoAccount({ origin, address, dataDir, databaseIsNew: isNew })
      lines.push(`Demo account: ${demo.email}, password ${demo.password}`)
    } catch (error) {
      lines.push(`There is no demo account: ${error instanceof Error ? error.message : error}`)
    }
  }
  const near = relative(process.cwd(), dataDir)
  lines.push(`Data: ${near.startsWith('..') ? dataDir : near}. Ctrl-C stops everything.`)
  console.log(`\n  ${lines.join('\n  ')}\n`)
}

/** @param {import('./site.mjs').Site} site */
async function runRound(site) {
  try {
    const outcome = await site.runCron()
    if (outcome !== 'ok') console.error(`The minute's round of maintenance ended with "${outcome}".`)
  } catch (error) {
    console.error(
      `The minute's round of maintenance could not run: ${error instanceof Error ? error.message : error}`,
    )
    await site.reviveWorker()
  }
}
