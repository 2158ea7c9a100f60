import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { user } from './auth.server'
import { moment } from './columns.server'

export const FILE_STATES = ['uploading', 'ready', 'deleting'] as const
export type FileState = (typeof FILE_STATES)[number]

/**
 * Bytes in object storage plus this row. The row is written before the object and removed after it, so that
 * an object never stands without a row for longer than a crash takes to be cleaned up.
 */
export const file = pgTable(
  'file',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),
    /** Makes a repeated upload return the stored file; `requestIndex` is the file's place in a form with several. */
    requestKey: uuid('request_key'),
    requestIndex: smallint('request_index'),
    origin: text('origin').$type<'upload' | 'result'>().notNull().default('upload'),
    /** A result's task and the attempt (lease version) that made it. No foreign key: neither takes the other along. */
    taskId: uuid('task_id'),
    leaseVersion: integer('lease_version'),
    /** Already cleaned for display; hostile all the same. */
    name: text('name').notNull(),
    contentType: text('content_type').notNull(),
    byteSize: bigint('byte_size', { mode: 'number' }).notNull(),
    /** SHA-256 of the bytes, 64 hexadecimal digits. */
    sha256: text('sha256').notNull(),
    objectKey: text('object_key').notNull().unique(),
    state: text('state').$type<FileState>().notNull(),
    /** Whether `storage_usage` includes this row. False once a later attempt's reservation has replaced it. */
    counted: boolean('counted').notNull().default(true),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    expiresAt: moment('expires_at'),
    /** When maintenance looks at this row next: an upload's abandonment, a ready file's expiry, a deletion's next try. */
    nextTryAt: moment('next_try_at').notNull(),
    tryCount: integer('try_count').notNull().default(0),
  },
  (t) => [
    index('file_list')
      .on(t.userId, t.createdAt, t.id)
      .where(sql`state = 'ready'`),
    // For an account's deletion: the database's own look for what goes with it, and the trigger's.
    index('file_user').on(t.userId),
    index('file_next_try').on(t.nextTryAt),
    index('file_unpublished')
      .on(t.taskId)
      .where(sql`state <> 'ready' and task_id is not null`),
    uniqueIndex('file_request')
      .on(t.userId, t.requestKey, t.requestIndex)
      .where(sql`request_key is not null`),
    check('file_state', sql`state in ('uploading', 'ready', 'deleting')`),
    check('file_size', sql`byte_size > 0 or (byte_size = 0 and origin = 'result')`),
    check('file_sha256', sql`sha256 ~ '^[0-9a-f]{64}$'`),
    check('file_ready_expires', sql`state <> 'ready' or expires_at is not null`),
    check('file_request_index', sql`(request_key is null) = (request_index is null)`),
    check('file_origin', sql`origin in ('upload', 'result')`),
    check(
      'file_result_attempt',
      sql`(origin = 'result') = (task_id is not null) and (task_id is null) = (lease_version is null)`,
    ),
    check('file_ready_counted', sql`counted or state = 'deleting'`),
  ],
)

/**
 * Keys of objects that have no file and have to go: of a deleted account, and orphans that were found. The migration makes a
 * trigger on `user` (which drizzle can't say) that writes an account's keys here in whatever transaction deletes it, so
 * that the bytes go too. It lives outside schema `engine`, which is made anew with each change.
 */
export const objectTrash = pgTable(
  'object_trash',
  {
    objectKey: text('object_key').primaryKey(),
    createdAt: moment('created_at').notNull().defaultNow(),
    nextTryAt: moment('next_try_at').notNull().defaultNow(),
    tryCount: integer('try_count').notNull().default(0),
  },
  (t) => [index('object_trash_next_try').on(t.nextTryAt)],
)

/** How far the search for objects without a row has come, for each key prefix. */
export const orphanScan = pgTable('orphan_scan', {
  prefix: text('prefix').primaryKey(),
  /** The last key that was looked at; null at the beginning. */
  cursor: text('cursor'),
  /** Since when too much of the page after it would go. */
  stoppedAt: moment('stopped_at'),
  /** Until then an operator lets it go all the same. */
  approvedUntil: moment('approved_until'),
  updatedAt: moment('updated_at').notNull().defaultNow(),
})

/** What an account's files add up to. Moved only by guarded updates, in the transaction of the row that they count. */
export const storageUsage = pgTable(
  'storage_usage',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => user.id, { onDelete: 'cascade' }),
    fileCount: integer('file_count').notNull().default(0),
    byteCount: bigint('byte_count', { mode: 'number' }).notNull().default(0),
  },
  () => [check('storage_usage_not_negative', sql`file_count >= 0 and byte_count >= 0`)],
)
