/**
 * `npm run files:validate`: the built Worker in workerd with its own PostgreSQL and the real local bucket, driven over HTTP
 * through everything that happens to files; then without its bucket, and with it again. Ends with 0, or names the step that
 * failed and shows what was answered.
 */
import { closeDatabase, connect } from '../app/db/client.server'
import { signUp } from '../app/testing/person'
import { runUntilInterrupted } from '../scripts/site/interrupt.mjs'
import { freePort } from '../scripts/site/ports.mjs'
import { startSite, type Site, type SiteOptions } from '../scripts/site/site.mjs'
import { temporaryFolder } from '../scripts/site/temporary.mjs'
import { cleanUp, deleteWithoutStorage, finishDeletion } from './worker/cleaning'
import { holdFile, keepFiles } from './worker/files'
import { fillUp, sendTooOften } from './worker/quotas'
import { collectEvents, tellSteps, type Story } from './worker/story'

/** How a shell reports a program that Ctrl-C has ended. */
const INTERRUPTED = 130
/** Lines of the Worker that are shown with a failure. */
const SHOWN_LINES = 40

await runUntilInterrupted(async (signal) => {
  const began = performance.now()
  try {
    await validate(signal)
  } catch (error) {
    if (signal.aborted) return INTERRUPTED
    throw error
  }
  console.log(
    `\nEverything held (${Math.round((performance.now() - began) / 1000)} s). Nothing is left of it.`,
  )
  console.log(
    'Not covered: an object without a row that is older than an hour, because R2 stamps the time itself (app/files has the test).',
  )
  return 0
})

async function validate(signal: AbortSignal): Promise<void> {
  const folder = temporaryFolder()
  const lines: string[] = []
  const events = collectEvents(signal)
  const step = tellSteps(signal)
  const port = await freePort()
  /** A site on the same folders each time, stopped whatever happens. */
  async function onSite<T>(without: SiteOptions['without'], use: (told: Story) => Promise<T>): Promise<T> {
    const site: Site = await startSite({
      ...{ dataDir: folder.path, port, without, signal },
      log: (line: string) => line.endsWith('…') && console.log(`  ${line}`),
      workerLog: (line: string) => {
        lines.push(line)
        events.take(line)
      },
    })
    const database = connect(site.databaseUrl, { applicationName: 'millrace validation' })
    try {
      return await use({ site, sql: database.$client, signal, events, step })
    } finally {
      await closeDatabase(database)
      await site.stop()
    }
  }
  try {
    const left = await onSite([], async (told) => {
      await keepFiles(told)
      await holdFile(told)
      await fillUp(told)
      await sendTooOften(told)
      const strangers = await cleanUp(told)
      const owner = await signUp(told.site)
      await owner.upload('to be deleted')
      return { strangers, owner }
    })
    await onSite(['STORAGE'], (told) => deleteWithoutStorage(told, left.owner))
    await onSite([], (told) => finishDeletion(told, left.owner, left.strangers))
  } catch (error) {
    if (!signal.aborted)
      console.error(['The Worker printed last:', ...lines.slice(-SHOWN_LINES)].join('\n  '))
    throw error
  } finally {
    folder.remove()
  }
}
