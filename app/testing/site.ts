import { afterAll, beforeAll } from 'vitest'
import type { Site, SiteOptions } from '../../scripts/site/site.mjs'
import { startTemporarySite } from '../../scripts/site/temporary.mjs'
import type { TestDatabase } from './database'

export type TestSite = Omit<Site, 'stop' | 'isNew'> & {
  /** The latest lines that the Worker printed: its log events, one JSON object each. */
  readonly workerLines: readonly string[]
}

/**
 * The whole built Worker on the test file's database, with real local queues and a bucket of its own. Started before the
 * file's tests and stopped after them. Lives in `*.worker.test.ts`.
 */
export function testSite(
  database: TestDatabase,
  options: Pick<SiteOptions, 'without' | 'viaHyperdrive' | 'cookiePrefix' | 'origin'> = {},
): TestSite {
  let started: Awaited<ReturnType<typeof startTemporarySite>> | undefined
  const site = () => {
    if (!started) throw new Error('The site is there while tests run, not while they are being collected.')
    return started
  }
  beforeAll(async () => {
    started = await startTemporarySite({ ...options, databaseUrl: database.url })
  })
  afterAll(() => started?.stop())

  return {
    get origin() {
      return site().origin
    },
    get address() {
      return site().address
    },
    get databaseUrl() {
      return site().databaseUrl
    },
    get workerLines() {
      return site().workerLines
    },
    runCron: () => site().runCron(),
    restartWorker: () => site().restartWorker(),
    killWorker: () => site().killWorker(),
    reviveWorker: () => site().reviveWorker(),
    bucket: () => site().bucket(),
    queueProducer: () => site().queueProducer(),
  }
}
