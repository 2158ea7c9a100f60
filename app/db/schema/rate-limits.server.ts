import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns.server'

/** One counter for each limit and whom it counts: an account's id, or a digest of an address. */
export const rateLimit = pgTable(
  'rate_limit',
  {
    scope: text('scope').notNull(),
    subject: text('subject').notNull(),
    windowStart: moment('window_start').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.subject] }),
    index('rate_limit_window').on(t.windowStart),
    check('rate_limit_count', sql`count > 0`),
  ],
)
