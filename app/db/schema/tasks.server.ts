import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import type { ExecutionCode } from '../../config/failures'
import type { TaskStatus } from '../../config/task-statuses'
import { user } from './auth.server'
import { moment } from './columns.server'
import { file } from './files.server'

export type ChargeState = 'none' | 'held' | 'settled' | 'refunded'

/**
 * One request to run a processor on one file. Input and result stand here as snapshots without foreign keys:
 * a file's expiry or deletion never takes history along. The checks repeat what the state machine promises of one row.
 */
export const task = pgTable(
  'task',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => user.id, { onDelete: 'cascade' }),

    // What was asked for
    requestKey: uuid('request_key').notNull(),
    /** SHA-256 over processor, file id and canonical parameters. */
    fingerprint: text('fingerprint').notNull(),
    processor: text('processor').notNull(),
    processorVersion: integer('processor_version').notNull(),
    /** Safe to run again after a lost lease. Copied from the processor, so that recovery needs no registry. */
    deterministic: boolean('deterministic').notNull(),
    params: jsonb('params').$type<Record<string, unknown>>().notNull(),
    inputFileId: uuid('input_file_id').notNull(),
    inputName: text('input_name').notNull(),
    inputType: text('input_type').notNull(),
    inputSize: bigint('input_size', { mode: 'number' }).notNull(),
    inputSha256: text('input_sha256').notNull(),

    // Where it stands
    status: text('status').$type<TaskStatus>().notNull(),
    stage: text('stage'),
    progressDone: bigint('progress_done', { mode: 'number' }),
    progressTotal: bigint('progress_total', { mode: 'number' }),
    progressUnit: text('progress_unit'),
    errorCode: text('error_code').$type<ExecutionCode>(),
    cancelRequestedAt: moment('cancel_requested_at'),
    /** Why an operator ended it, in the operator's words. Shown to operators only. */
    settlementReason: text('settlement_reason'),

    // Attempts: the holder of the current version, within its lease, may write
    attemptCount: integer('attempt_count').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    leaseVersion: integer('lease_version').notNull().default(0),
    leaseExpiresAt: moment('lease_expires_at'),
    /** The last attempt lost its lease: it may have killed its worker, and is claimed alone. */
    suspect: boolean('suspect').notNull().default(false),
    /** False once a delivery of this run ended as a dead letter: failures no longer retry by themselves. */
    automaticRetry: boolean('automatic_retry').notNull().default(true),
    retryAt: moment('retry_at'),
    /** Tries of maintenance to recover this lease since it ran out, and when the next is due if one didn't succeed. */
    recoveryTryCount: integer('recovery_try_count').notNull().default(0),
    nextRecoveryAt: moment('next_recovery_at'),

    // Delivery: the holder of the token may record it
    /** Advanced by each delivery. */
    dispatchVersion: integer('dispatch_version').notNull().default(0),
    /** Messages with an older version than this are dropped. */
    dispatchFloor: integer('dispatch_floor').notNull().default(0),
    deliveryToken: uuid('delivery_token'),
    /** Deliveries since the task began to wait; spaces out the next ones. */
    deliveryCount: integer('delivery_count').notNull().default(0),
    /** When maintenance delivers next: the end of a sender's lease, then the redelivery. */
    nextDeliveryAt: moment('next_delivery_at'),
    waitingSince: moment('waiting_since'),
    sendFailedAt: moment('send_failed_at'),
    sendFailedCount: integer('send_failed_count').notNull().default(0),

    // Result
    resultFileId: uuid('result_file_id'),
    resultName: text('result_name'),
    resultType: text('result_type'),
    resultSize: bigint('result_size', { mode: 'number' }),
    resultSha256: text('result_sha256'),

    // Charge
    price: integer('price').notNull().default(0),
    chargeState: text('charge_state').$type<ChargeState>().notNull().default('none'),

    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    queuedAt: moment('queued_at'),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (t) => [
    unique('task_request').on(t.userId, t.requestKey),
    index('task_list').on(t.userId, t.createdAt, t.id),
    index('task_status_list')
      .on(t.userId, t.status, t.createdAt, t.id)
      .where(sql`finished_at is not null`),
    // From a result's file to the task that made it, also after the file's row has gone.
    index('task_result_file')
      .on(t.resultFileId)
      .where(sql`result_file_id is not null`),
    // What is due, and nothing that ever was: these stay as small as the work at hand.
    index('task_active')
      .on(t.userId)
      .where(sql`finished_at is null`),
    index('task_due_delivery')
      .on(t.nextDeliveryAt)
      .where(sql`next_delivery_at is not null`),
    index('task_due_recovery')
      .on(sql`greatest(lease_expires_at, next_recovery_at)`)
      .where(sql`lease_expires_at is not null`),
    index('task_reconciling')
      .on(t.updatedAt)
      .where(sql`status = 'reconciling'`),
    index('task_held_charge')
      .on(t.finishedAt)
      .where(sql`status = 'failed' and charge_state = 'held'`),
    check(
      'task_status',
      sql`status in ('pending', 'queued', 'running', 'retry_wait', 'reconciling', 'succeeded', 'failed', 'canceled')`,
    ),
    check('task_attempts', sql`attempt_count between 0 and max_attempts and lease_version >= attempt_count`),
    check('task_started', sql`(attempt_count > 0) = (started_at is not null)`),
    check('task_running_has_lease', sql`(status = 'running') = (lease_expires_at is not null)`),
    check('task_recovery', sql`next_recovery_at is null or (status = 'running' and recovery_try_count > 0)`),
    check(
      'task_ended_has_time',
      sql`(status in ('succeeded', 'failed', 'canceled')) = (finished_at is not null)`,
    ),
    check(
      'task_waiting_is_due',
      sql`(status in ('pending', 'queued', 'retry_wait')) = (next_delivery_at is not null)`,
    ),
    check('task_waiting_since', sql`(next_delivery_at is null) = (waiting_since is null)`),
    check('task_token_only_waiting', sql`delivery_token is null or next_delivery_at is not null`),
    check('task_queued_has_time', sql`status <> 'queued' or queued_at is not null`),
    check('task_retry_has_time', sql`(status = 'retry_wait') = (retry_at is not null)`),
    check('task_error', sql`(status in ('retry_wait', 'reconciling', 'failed')) = (error_code is not null)`),
    check(
      'task_cancel_request',
      sql`cancel_requested_at is null or status in ('running', 'reconciling', 'failed', 'canceled')`,
    ),
    check('task_stage', sql`stage is null or status in ('running', 'reconciling')`),
    check(
      'task_progress',
      sql`(progress_done is null) = (progress_total is null) and (progress_done is null) = (progress_unit is null) and (progress_done is null or (progress_done between 0 and progress_total and status in ('running', 'reconciling')))`,
    ),
    check('task_digests', sql`fingerprint ~ '^[0-9a-f]{64}$' and input_sha256 ~ '^[0-9a-f]{64}$'`),
    check('task_dispatch', sql`dispatch_floor between 0 and dispatch_version`),
    check('task_succeeded_has_result', sql`(status = 'succeeded') = (result_file_id is not null)`),
    check(
      'task_result_complete',
      sql`(result_file_id is null) = (result_name is null) and (result_file_id is null) = (result_type is null) and (result_file_id is null) = (result_size is null) and (result_file_id is null) = (result_sha256 is null)`,
    ),
    check(
      'task_result',
      sql`result_file_id is null or (result_size >= 0 and result_sha256 ~ '^[0-9a-f]{64}$')`,
    ),
    check(
      'task_charge',
      sql`price >= 0 and charge_state in ('none', 'held', 'settled', 'refunded') and (price = 0) = (charge_state = 'none') and (charge_state <> 'settled' or status = 'succeeded') and (charge_state <> 'refunded' or status in ('failed', 'canceled')) and (charge_state <> 'held' or status not in ('succeeded', 'canceled'))`,
    ),
  ],
)

export type AttemptOutcome = 'succeeded' | 'failed' | 'canceled' | 'lease_lost'

/** One execution of a task: one row for each claimed lease version. */
export const taskAttempt = pgTable(
  'task_attempt',
  {
    taskId: uuid('task_id')
      .notNull()
      .references(() => task.id, { onDelete: 'cascade' }),
    leaseVersion: integer('lease_version').notNull(),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
    outcome: text('outcome').$type<AttemptOutcome>(),
    errorCode: text('error_code').$type<ExecutionCode>(),
  },
  (t) => [
    primaryKey({ columns: [t.taskId, t.leaseVersion] }),
    check('task_attempt_outcome', sql`outcome in ('succeeded', 'failed', 'canceled', 'lease_lost')`),
    check('task_attempt_ended', sql`(outcome is null) = (finished_at is null)`),
    check('task_attempt_error', sql`(coalesce(outcome, '') = 'failed') = (error_code is not null)`),
  ],
)

/**
 * "This active task needs this file": while it stands, the file can be neither deleted nor cleaned up. The migration makes
 * its foreign key to the file deferred (which drizzle can't say): deleting an account reaches the files before the tasks,
 * and is right once both are gone.
 */
export const taskInputPin = pgTable(
  'task_input_pin',
  {
    taskId: uuid('task_id')
      .primaryKey()
      .references(() => task.id, { onDelete: 'cascade' }),
    fileId: uuid('file_id')
      .notNull()
      .references(() => file.id),
  },
  (t) => [index('task_input_pin_file').on(t.fileId)],
)

export const DEAD_LETTER_CLASSES = ['applied', 'deferred', 'stale', 'missing', 'invalid'] as const
export type DeadLetterClass = (typeof DEAD_LETTER_CLASSES)[number]

/** A receipt for a message that the queue gave up on. Never its body, an input, a token or a provider's error. */
export const taskDeadLetter = pgTable(
  'task_dead_letter',
  {
    id: uuid('id').primaryKey(),
    queueName: text('queue_name').notNull(),
    messageId: text('message_id').notNull(),
    /** Only a task that was found; an id that nothing answers to is not kept. */
    taskId: uuid('task_id').references(() => task.id, { onDelete: 'cascade' }),
    dispatchVersion: integer('dispatch_version'),
    class: text('class').$type<DeadLetterClass>().notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (t) => [
    unique('task_dead_letter_message').on(t.queueName, t.messageId),
    index('task_dead_letter_task').on(t.taskId, t.receivedAt),
    index('task_dead_letter_received').on(t.receivedAt),
    check('task_dead_letter_class', sql`class in ('applied', 'deferred', 'stale', 'missing', 'invalid')`),
    check(
      'task_dead_letter_reference',
      sql`(class in ('missing', 'invalid')) = (task_id is null) and (task_id is null) = (dispatch_version is null)`,
    ),
  ],
)
