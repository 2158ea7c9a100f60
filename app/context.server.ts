import type { SiteSettings } from './config/site'
import type { Database } from './db/client.server'
import type { Log } from './log.server'
import type { TaskMessage } from './tasks/message.server'

/**
 * Everything that domain code reaches the world through, made once per invocation (a request, a batch of messages,
 * a round of the cron) because Workers' I/O belongs to the invocation that opened it.
 */
export interface AppContext {
  db: Database
  /** Null where the site has no `STORAGE` binding: what needs it answers `NOT_CONFIGURED`. */
  storage: R2Bucket | null
  /** Null where the site has no `TASK_QUEUE` binding: what needs it answers `NOT_CONFIGURED`. */
  queue: Pick<Queue<TaskMessage>, 'send' | 'sendBatch'> | null
  site: SiteSettings
  clock: Clock
  log: Log
}

/**
 * The time that statements work with. Null leaves it to the database's own clock, which is what decides leases
 * in production: workers' clocks differ, the database has one. Tests set a time and move it.
 */
export interface Clock {
  now: Date | null
}
