import { readEnvironment, type Environment } from './config/environment.server'
import { site, type SiteSettings } from './config/site'
import { checkSite } from './config/site-schema.server'
import type { AppContext } from './context.server'
import { closeDatabase, openDatabase } from './db/client.server'
import { logToConsole, printToTerminal } from './log.server'
import { mailerFor } from './mail/mailer.server'
import type { TaskMessage } from './tasks/message.server'

export interface Invocation {
  app: AppContext
  env: Environment
  /** Ends the database connection. Call it once the invocation's last statement has answered. */
  close: () => Promise<void>
}

/** What has been checked of an isolate's environment: it doesn't change while the isolate lives. */
const checked = new WeakMap<object, { env: Environment; settings: SiteSettings }>()

/**
 * The context of one invocation (a request, a batch of messages, a round of the cron), from the environment that the
 * platform hands over. Throws an error that names what is missing or wrong. Nothing is sent to the database yet.
 */
export function openContext(platformEnv: unknown): Invocation {
  const { env, settings } = check(platformEnv)
  const db = openDatabase(env)
  return {
    env,
    app: {
      db,
      storage: env.STORAGE ?? null,
      queue: (env.TASK_QUEUE as Queue<TaskMessage> | undefined) ?? null,
      captcha: null,
      mailer: mailerFor(env, { siteName: settings.name, print: printToTerminal }),
      site: settings,
      clock: { now: null },
      log: logToConsole,
    },
    close: () => closeDatabase(db),
  }
}

function check(platformEnv: unknown): { env: Environment; settings: SiteSettings } {
  const key = typeof platformEnv === 'object' && platformEnv !== null ? platformEnv : {}
  const known = checked.get(key)
  if (known) return known
  const env = readEnvironment(platformEnv)
  const settings = checkSite({ ...site, cookiePrefix: env.COOKIE_PREFIX ?? site.cookiePrefix })
  checked.set(key, { env, settings })
  return { env, settings }
}
