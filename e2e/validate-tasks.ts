/**
 * `npm run tasks:validate`: the built Worker in workerd with its own PostgreSQL and the real local queue and bucket, driven
 * over HTTP through ordinary work, exhausted deliveries, lost databases and a restart; once with DATABASE_URL, once with the
 * Hyperdrive binding. Ends with 0, or names the step that failed and shows what was answered.
 */
import { closeDatabase, connect } from '../app/db/client.server'
import { runUntilInterrupted } from '../scripts/site/interrupt.mjs'
import { freePort } from '../scripts/site/ports.mjs'
import { startSite, type Site } from '../scripts/site/site.mjs'
import { temporaryFolder } from '../scripts/site/temporary.mjs'
import { exhaustDelivery, loseDatabaseAfterClaims } from './worker/faults'
import { doOrdinaryWork } from './worker/ordinary-work'
import { carryOn, leaveInQueue } from './worker/restart'
import { collectEvents, tellSteps, type Story } from './worker/story'

/** How a shell reports a program that Ctrl-C has ended. */
const INTERRUPTED = 130
/** Lines of the Worker that are shown with a failure. */
const SHOWN_LINES = 40

await runUntilInterrupted(async (signal) => {
  const began = performance.now()
  try {
    for (const viaHyperdrive of [false, true]) {
      console.log(`\n${viaHyperdrive ? 'Through the Hyperdrive binding' : 'Through DATABASE_URL'}`)
      await validate({ viaHyperdrive, signal })
    }
  } catch (error) {
    if (signal.aborted) return INTERRUPTED
    throw error
  }
  console.log(
    `\nEverything held, both ways (${Math.round((performance.now() - began) / 1000)} s). Nothing is left of it.`,
  )
  return 0
})

async function validate({
  viaHyperdrive,
  signal,
}: {
  viaHyperdrive: boolean
  signal: AbortSignal
}): Promise<void> {
  const folder = temporaryFolder()
  const lines: string[] = []
  const events = collectEvents(signal)
  const step = tellSteps(signal)
  const options = {
    ...{ dataDir: folder.path, port: await freePort(), viaHyperdrive, signal },
    // What is being done, without the build's report.
    log: (line: string) => line.endsWith('…') && console.log(`  ${line}`),
    workerLog: (line: string) => {
      lines.push(line)
      events.take(line)
    },
  }
  /** A site on the same folders each time, stopped whatever happens. */
  async function onSite<T>(use: (story: Story) => Promise<T>): Promise<T> {
    const site: Site = await startSite(options)
    const database = connect(site.databaseUrl, { applicationName: 'millrace validation' })
    try {
      return await use({ site, sql: database.$client, signal, events, step })
    } finally {
      await closeDatabase(database)
      await site.stop()
    }
  }
  try {
    const left = await onSite(async (story) => {
      const done = await doOrdinaryWork(story)
      await exhaustDelivery(story)
      await loseDatabaseAfterClaims(story)
      return { done, waitingId: await leaveInQueue(story, done) }
    })
    await step('stopped Worker, queue and PostgreSQL; now the same folders again', () => Promise.resolve())
    await onSite((story) => carryOn(story, left.done, left.waitingId))
  } catch (error) {
    if (!signal.aborted)
      console.error(['The Worker printed last:', ...lines.slice(-SHOWN_LINES)].join('\n  '))
    throw error
  } finally {
    folder.remove()
  }
}
