import { checkSite } from '../config/site-schema.server'
import { site } from '../config/site'
import type { AppContext, Clock } from '../context.server'
import type { LogFields } from '../log.server'
import type { TaskMessage } from '../tasks/message.server'
import type { TestDatabase } from './database'
import { testStorage } from './storage'

export interface TestContext extends AppContext {
  /** What the queue took, in order. */
  sent: (TaskMessage & { delaySeconds?: number })[]
  /** What was logged, in order. */
  logged: { event: string; fields: LogFields }[]
  /** The queue refuses this many sends from now on. */
  failNextSends: (count: number) => void
  /** Moves the clock on. Only where the test has set one. */
  advance: (milliseconds: number) => void
}

/**
 * The world as domain code sees it, made of real parts: the test file's PostgreSQL on one connection of its own, and
 * workerd's R2. The queue only remembers, because a test decides when a message arrives. The clock is the database's
 * unless one is given, and may be shared between contexts. The site's settings are a copy that the test may change.
 * `storage: null` and `queue: null` stand for a missing binding.
 */
export async function testContext(
  database: TestDatabase,
  overrides: Partial<Pick<AppContext, 'site' | 'storage' | 'queue' | 'clock'>> = {},
): Promise<TestContext> {
  const sent: TestContext['sent'] = []
  const logged: TestContext['logged'] = []
  const clock: Clock = overrides.clock ?? { now: null }
  let failures = 0

  const take = (messages: TestContext['sent']) => {
    if (failures > 0) {
      failures -= 1
      return Promise.reject(new Error('the queue is not reachable'))
    }
    sent.push(...messages)
    return Promise.resolve({} as QueueSendResponse)
  }
  return {
    db: database.connect(),
    storage: overrides.storage === undefined ? await testStorage() : overrides.storage,
    queue:
      overrides.queue === null
        ? null
        : (overrides.queue ?? {
            send: (body, options) => take([{ ...body, delaySeconds: options?.delaySeconds }]),
            sendBatch: (messages) =>
              take(
                [...messages].map(({ body, delaySeconds }) => ({ ...body, delaySeconds })),
              ) as Promise<QueueSendBatchResponse>,
          }),
    site: overrides.site ?? checkSite(structuredClone(site)),
    clock,
    log: (event, fields = {}) => void logged.push({ event, fields }),
    sent,
    logged,
    failNextSends: (count) => {
      failures = count
    },
    advance: (milliseconds) => {
      if (!clock.now)
        throw new Error('This test runs on the database’s own clock: give the context one to move.')
      clock.now = new Date(clock.now.getTime() + milliseconds)
    },
  }
}
