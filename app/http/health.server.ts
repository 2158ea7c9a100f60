import type { AppContext } from '../context.server'
import { describeError } from '../log.server'

/** A database that hangs is as bad as none: whoever watches has to hear of it before their own patience ends. */
const PATIENCE_MS = 3_000

/** Whether the database answers, and in time. One statement; what went wrong stands in the log. */
export async function databaseAnswers(ctx: AppContext, patienceMs = PATIENCE_MS): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseSilent()), patienceMs)
  })
  try {
    await Promise.race([ctx.db.$client`select 1`, timeout])
    return true
  } catch (error) {
    ctx.log('healthz.database', describeError(error))
    return false
  } finally {
    clearTimeout(timer)
  }
}

class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
}
