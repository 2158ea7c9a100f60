import type { SiteSettings } from './config/site'
import type { Database } from './db/client.server'
import type { Log } from './log.server'
import type { Mailer } from './mail/mailer.server'
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
  /** Null where the site asks nobody to prove that they are a person. */
  captcha: CaptchaVerifier | null
  /** Null where the site can't send mail: what needs it says so. */
  mailer: Mailer | null
  site: SiteSettings
  clock: Clock
  log: Log
}

/** What a captcha was solved for: a token for one isn't taken for the other. */
export type CaptchaAction = 'task_submit' | 'task_retry'

/** Whether a token proves that a person asked for this action just now. Never throws; without an answer it is false. */
export type CaptchaVerifier = (token: string | null, action: CaptchaAction) => Promise<boolean>

/**
 * The time that statements work with. Null leaves it to the database's own clock, which is what decides leases
 * in production: workers' clocks differ, the database has one. Tests set a time and move it.
 */
export interface Clock {
  now: Date | null
}
