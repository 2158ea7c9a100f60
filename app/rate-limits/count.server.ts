import { ACCOUNT_WRITES_PER_MINUTE, RATE_WINDOW_MS } from '../config/limits'
import type { AppContext } from '../context.server'
import { interval, timeOf } from '../db/values.server'

export interface Counted {
  /** Which limit. */
  scope: string
  /** Whom it counts: an account's id or a digest. */
  subject: string
  /** How many a minute are allowed. */
  limit: number
  /** How many this request is; 1 unless it carries several items. */
  by?: number
}

/**
 * Counts a request and says whether it is within its limit: one atomic upsert, so that requests at once can't slip past
 * each other. Windows are whole minutes. A refused request counts as well.
 */
export async function countRequests(ctx: AppContext, counted: Counted): Promise<'ok' | 'RATE_LIMITED'> {
  const [row] = await ctx.db.$client<{ count: number }[]>`
    insert into rate_limit as r (scope, subject, window_start, count)
    values (${counted.scope}, ${counted.subject},
            date_bin(${interval(RATE_WINDOW_MS)}::interval, engine.now(${timeOf(ctx.clock)}), 'epoch'), ${counted.by ?? 1})
    on conflict (scope, subject) do update
       -- Never back to the minute before: of two requests at its end the one that began first may count last.
       set count = case when r.window_start >= excluded.window_start then r.count else 0 end + excluded.count,
           window_start = greatest(r.window_start, excluded.window_start)
    returning count`
  return row && row.count <= counted.limit ? 'ok' : 'RATE_LIMITED'
}

/** A page or a poll; several files in one download are as many. */
export function countRead(ctx: AppContext, userId: string, by = 1) {
  return countRequests(ctx, {
    scope: 'tasks.read',
    subject: userId,
    limit: ctx.site.tasks.readsPerMinute,
    by,
  })
}

/** A submission, cancel or retry; a bulk action is as many as it has items. */
export function countTaskWrites(ctx: AppContext, userId: string, by = 1) {
  return countRequests(ctx, {
    scope: 'tasks.write',
    subject: userId,
    limit: ctx.site.tasks.writesPerMinute,
    by,
  })
}

/** An upload or a deletion; several files are as many writes. */
export function countFileWrites(ctx: AppContext, userId: string, by = 1) {
  return countRequests(ctx, {
    scope: 'files.write',
    subject: userId,
    limit: ctx.site.files.writesPerMinute,
    by,
  })
}

/** A change of the account itself: its password, its sessions, its end. Counted before any hashing. */
export function countAccountWrites(ctx: AppContext, userId: string) {
  return countRequests(ctx, { scope: 'account.write', subject: userId, limit: ACCOUNT_WRITES_PER_MINUTE })
}

/** Counters whose minute is long over. Maintenance's part; answers how many went. */
export async function pruneCounters(ctx: AppContext): Promise<number> {
  const gone = await ctx.db.$client`
    delete from rate_limit where window_start < engine.now(${timeOf(ctx.clock)}) - interval '1 hour'`
  return gone.count
}
