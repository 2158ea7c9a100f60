import { checkSite } from '../config/site-schema.server'
import { site } from '../config/site'
import type { AppContext, Clock } from '../context.server'
import type { LogFields } from '../log.server'
import type { Mail } from '../mail/mailer.server'
import type { TaskMessage } from '../tasks/message.server'

export interface TestContext extends AppContext {
  /** What the queue took, in order. */
  sent: (TaskMessage & { delaySeconds?: number })[]
  /** The letters that were sent, in order. */
  mails: Mail[]
  /** What was logged, in order. */
  logged: { event: string; fields: LogFields }[]
  /** The queue refuses this many sends from now on. */
  failNextSends: (count: number) => void
  /** Moves the clock on. Only where the test has set one. */
  advance: (milliseconds: number) => void
}

/**
 * The world as domain code sees it, on a real database and bucket. The queue only remembers, because the caller decides
 * when a message arrives. The clock is the database's unless one is given, and may be shared between contexts. The
 * site's settings are a copy that the caller may change. Needs no test runner.
 */
export function recordingContext(
  parts: Pick<AppContext, 'db' | 'storage'> &
    Partial<Pick<AppContext, 'site' | 'queue' | 'clock' | 'mailer'>>,
): TestContext {
  const sent: TestContext['sent'] = []
  const mails: Mail[] = []
  const logged: TestContext['logged'] = []
  const clock: Clock = parts.clock ?? { now: null }
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
    db: parts.db,
    storage: parts.storage,
    queue:
      parts.queue === null
        ? null
        : (parts.queue ?? {
            send: (body, options) => take([{ ...body, delaySeconds: options?.delaySeconds }]),
            sendBatch: (messages) =>
              take(
                [...messages].map(({ body, delaySeconds }) => ({ ...body, delaySeconds })),
              ) as Promise<QueueSendBatchResponse>,
          }),
    captcha: null,
    mailer:
      parts.mailer === undefined ? { send: (mail) => Promise.resolve(void mails.push(mail)) } : parts.mailer,
    site: parts.site ?? checkSite(structuredClone(site)),
    clock,
    log: (event, fields = {}) => void logged.push({ event, fields }),
    sent,
    mails,
    logged,
    failNextSends: (count) => {
      failures = count
    },
    advance: (milliseconds) => {
      if (!clock.now) throw new Error('The context runs on the database’s own clock: give it one to move.')
      clock.now = new Date(clock.now.getTime() + milliseconds)
    },
  }
}
