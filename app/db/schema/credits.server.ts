import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { user } from './auth.server'
import { moment } from './columns.server'
import { task } from './tasks.server'

export type LedgerKind = 'grant' | 'hold' | 'settle' | 'refund'

/**
 * Append-only while the account lives. `amount` is what the entry does to the balance: a grant or refund adds,
 * a hold takes away, a settlement moves nothing. The balance is the sum.
 */
export const creditLedger = pgTable(
  'credit_ledger',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    taskId: uuid('task_id').references(() => task.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<LedgerKind>().notNull(),
    amount: bigint('amount', { mode: 'number' }).notNull(),
    /** One entry for each: a repeated hold, settlement, refund or grant is refused by the database. */
    idempotencyKey: text('idempotency_key').notNull().unique(),
    reason: text('reason'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('credit_ledger_list').on(t.userId, t.createdAt, t.id),
    index('credit_ledger_task').on(t.taskId),
    check(
      'credit_ledger_kind',
      sql`case kind when 'grant' then amount > 0 and task_id is null when 'hold' then amount < 0 and task_id is not null when 'settle' then amount = 0 and task_id is not null when 'refund' then amount > 0 and task_id is not null else false end`,
    ),
  ],
)

/** What an account may still spend. Equals the ledger's sum at every moment. */
export const creditBalance = pgTable(
  'credit_balance',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => user.id, { onDelete: 'cascade' }),
    balance: bigint('balance', { mode: 'number' }).notNull().default(0),
  },
  () => [check('credit_balance_not_negative', sql`balance >= 0`)],
)
