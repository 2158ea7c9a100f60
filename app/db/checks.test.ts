import { uuidv7 } from 'uuidv7'
import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { fileRow, insertRow, TASK_ROWS, taskRow, type Row } from '../testing/rows'

type Status = keyof typeof TASK_ROWS

const MOMENT = '2026-03-01T12:00:00Z'
const DUE = { next_delivery_at: MOMENT, waiting_since: MOMENT }
const NO_RESULT = {
  result_file_id: null,
  result_name: null,
  result_type: null,
  result_size: null,
  result_sha256: null,
}
const RESULT = {
  result_file_id: uuidv7(),
  result_name: 'a',
  result_type: 'text/plain',
  result_size: 1,
  result_sha256: '0'.repeat(64),
}

/** A valid row of that status, the one thing that makes it impossible, and the check that must say so. */
const TASKS: [check: string, why: string, status: Status, change: Row][] = [
  ['task_status', 'an unknown status', 'running', { status: 'lost', lease_expires_at: null }],
  ['task_attempts', 'more attempts than its budget', 'running', { attempt_count: 4, lease_version: 4 }],
  ['task_attempts', 'more attempts than leases', 'running', { attempt_count: 2 }],
  ['task_attempts', 'a negative attempt', 'pending', { attempt_count: -1 }],
  ['task_started', 'an attempt without a start', 'running', { started_at: null }],
  ['task_started', 'a start without an attempt', 'pending', { started_at: MOMENT }],
  ['task_running_has_lease', 'running without a lease', 'running', { lease_expires_at: null }],
  ['task_running_has_lease', 'queued with a lease', 'queued', { lease_expires_at: MOMENT }],
  ['task_running_has_lease', 'ended with a lease', 'succeeded', { lease_expires_at: MOMENT }],
  ['task_recovery', 'recovered after its end', 'failed', { next_recovery_at: MOMENT, recovery_try_count: 1 }],
  ['task_recovery', 'a next try without a first', 'running', { next_recovery_at: MOMENT }],
  ['task_ended_has_time', 'failed at no time', 'failed', { finished_at: null }],
  ['task_ended_has_time', 'running and finished', 'running', { finished_at: MOMENT }],
  [
    'task_waiting_is_due',
    'queued and never looked at again',
    'queued',
    { next_delivery_at: null, waiting_since: null },
  ],
  ['task_waiting_is_due', 'running and due for delivery', 'running', DUE],
  ['task_waiting_is_due', 'canceled and due for delivery', 'canceled', DUE],
  ['task_waiting_since', 'due, but waiting since never', 'pending', { waiting_since: null }],
  ['task_token_only_waiting', 'running with a sender’s token', 'running', { delivery_token: uuidv7() }],
  ['task_queued_has_time', 'queued at no time', 'queued', { queued_at: null }],
  ['task_retry_has_time', 'a retry at no time', 'retry_wait', { retry_at: null }],
  ['task_retry_has_time', 'a retry of what hasn’t failed', 'pending', { retry_at: MOMENT }],
  ['task_error', 'failed for no reason', 'failed', { error_code: null }],
  ['task_error', 'reconciling for no reason', 'reconciling', { error_code: null }],
  ['task_error', 'succeeded with an error', 'succeeded', { error_code: 'INTERNAL' }],
  ['task_cancel_request', 'waiting with a cancel request', 'pending', { cancel_requested_at: MOMENT }],
  ['task_cancel_request', 'succeeded against a cancel request', 'succeeded', { cancel_requested_at: MOMENT }],
  ['task_stage', 'a stage before it starts', 'queued', { stage: 'parse' }],
  ['task_stage', 'a stage after it ended', 'succeeded', { stage: 'parse' }],
  ['task_progress', 'progress of an unknown whole', 'running', { progress_done: 1 }],
  [
    'task_progress',
    'more than all done',
    'running',
    { progress_done: 2, progress_total: 1, progress_unit: 'pages' },
  ],
  [
    'task_progress',
    'progress without work',
    'queued',
    { progress_done: 0, progress_total: 1, progress_unit: 'pages' },
  ],
  ['task_digests', 'a fingerprint that is none', 'pending', { fingerprint: 'A1'.repeat(32) }],
  ['task_digests', 'an input’s digest that is none', 'pending', { input_sha256: '' }],
  ['task_dispatch', 'a floor above the current version', 'pending', { dispatch_floor: 1 }],
  ['task_dispatch', 'a negative floor', 'pending', { dispatch_floor: -1 }],
  ['task_succeeded_has_result', 'succeeded with nothing', 'succeeded', NO_RESULT],
  ['task_succeeded_has_result', 'failed with a result', 'failed', RESULT],
  ['task_result_complete', 'a result without a name', 'succeeded', { result_name: null }],
  ['task_result_complete', 'a size of nothing', 'failed', { result_size: 1 }],
  ['task_result', 'a result’s digest that is none', 'succeeded', { result_sha256: 'x' }],
  ['task_result', 'a result of negative size', 'succeeded', { result_size: -1 }],
  ['task_charge', 'a price that is never charged', 'running', { price: 5 }],
  ['task_charge', 'a charge of nothing', 'running', { charge_state: 'held' }],
  ['task_charge', 'a negative price', 'running', { price: -5, charge_state: 'held' }],
  ['task_charge', 'an unknown charge', 'running', { price: 5, charge_state: 'lost' }],
  ['task_charge', 'settled before success', 'running', { price: 5, charge_state: 'settled' }],
  ['task_charge', 'refunded while running', 'running', { price: 5, charge_state: 'refunded' }],
  ['task_charge', 'succeeded and refunded', 'succeeded', { price: 5, charge_state: 'refunded' }],
  ['task_charge', 'succeeded and still held', 'succeeded', { price: 5, charge_state: 'held' }],
  ['task_charge', 'canceled and still held', 'canceled', { price: 5, charge_state: 'held' }],
]

const attempt = { lease_version: 1, started_at: MOMENT }
const letter = () => ({ id: uuidv7(), queue_name: 'dead', message_id: crypto.randomUUID() })
const entry = () => ({ id: uuidv7(), idempotency_key: crypto.randomUUID() })

type Ids = { userId: string; taskId: string }
/** The same for the other tables. */
const OTHERS: [check: string, why: string, table: string, row: (ids: Ids) => Row][] = [
  [
    'task_attempt_outcome',
    'an unknown outcome',
    'task_attempt',
    ({ taskId }) => ({ ...attempt, task_id: taskId, outcome: 'lost', finished_at: MOMENT }),
  ],
  [
    'task_attempt_ended',
    'an outcome at no time',
    'task_attempt',
    ({ taskId }) => ({ ...attempt, task_id: taskId, outcome: 'succeeded' }),
  ],
  [
    'task_attempt_ended',
    'an end without an outcome',
    'task_attempt',
    ({ taskId }) => ({ ...attempt, task_id: taskId, finished_at: MOMENT }),
  ],
  [
    'task_attempt_error',
    'failed for no reason',
    'task_attempt',
    ({ taskId }) => ({ ...attempt, task_id: taskId, outcome: 'failed', finished_at: MOMENT }),
  ],
  [
    'task_attempt_error',
    'an error while it runs',
    'task_attempt',
    ({ taskId }) => ({ ...attempt, task_id: taskId, error_code: 'INTERNAL' }),
  ],
  [
    'task_dead_letter_class',
    'an unknown class',
    'task_dead_letter',
    ({ taskId }) => ({ ...letter(), class: 'lost', task_id: taskId, dispatch_version: 1 }),
  ],
  [
    'task_dead_letter_reference',
    'applied to no task',
    'task_dead_letter',
    () => ({ ...letter(), class: 'applied' }),
  ],
  [
    'task_dead_letter_reference',
    'missing, yet with its task',
    'task_dead_letter',
    ({ taskId }) => ({ ...letter(), class: 'missing', task_id: taskId, dispatch_version: 1 }),
  ],
  [
    'task_dead_letter_reference',
    'a version of no task',
    'task_dead_letter',
    () => ({ ...letter(), class: 'invalid', dispatch_version: 1 }),
  ],
  ['file_state', 'an unknown state', 'file', ({ userId }) => fileRow(userId, { state: 'lost' })],
  ['file_size', 'an upload of nothing', 'file', ({ userId }) => fileRow(userId, { byte_size: 0 })],
  [
    'file_size',
    'a result of less than nothing',
    'file',
    ({ userId, taskId }) =>
      fileRow(userId, { byte_size: -1, origin: 'result', task_id: taskId, lease_version: 1 }),
  ],
  [
    'file_sha256',
    'a digest that is none',
    'file',
    ({ userId }) => fileRow(userId, { sha256: 'g'.repeat(64) }),
  ],
  ['file_ready_expires', 'ready for ever', 'file', ({ userId }) => fileRow(userId, { expires_at: null })],
  ['file_request_index', 'a place in no form', 'file', ({ userId }) => fileRow(userId, { request_index: 0 })],
  ['file_origin', 'an unknown origin', 'file', ({ userId }) => fileRow(userId, { origin: 'copy' })],
  [
    'file_result_attempt',
    'a result of no task',
    'file',
    ({ userId }) => fileRow(userId, { origin: 'result' }),
  ],
  [
    'file_result_attempt',
    'an upload by a task',
    'file',
    ({ userId, taskId }) => fileRow(userId, { task_id: taskId, lease_version: 1 }),
  ],
  [
    'file_result_attempt',
    'a result of no attempt',
    'file',
    ({ userId, taskId }) => fileRow(userId, { origin: 'result', task_id: taskId }),
  ],
  [
    'file_ready_counted',
    'a usable file that no quota counts',
    'file',
    ({ userId }) => fileRow(userId, { counted: false }),
  ],
  [
    'storage_usage_not_negative',
    'less than no files',
    'storage_usage',
    ({ userId }) => ({ user_id: userId, file_count: -1 }),
  ],
  [
    'storage_usage_not_negative',
    'less than no bytes',
    'storage_usage',
    ({ userId }) => ({ user_id: userId, byte_count: -1 }),
  ],
  [
    'rate_limit_count',
    'a counter of nothing',
    'rate_limit',
    () => ({ scope: 'tasks', subject: 'x', window_start: MOMENT, count: 0 }),
  ],
  [
    'credit_balance_not_negative',
    'a debt',
    'credit_balance',
    ({ userId }) => ({ user_id: userId, balance: -1 }),
  ],
  [
    'credit_ledger_kind',
    'an unknown kind',
    'credit_ledger',
    ({ userId }) => ({ ...entry(), user_id: userId, kind: 'gift', amount: 5 }),
  ],
  [
    'credit_ledger_kind',
    'a grant that takes',
    'credit_ledger',
    ({ userId }) => ({ ...entry(), user_id: userId, kind: 'grant', amount: -5 }),
  ],
  [
    'credit_ledger_kind',
    'a hold that gives',
    'credit_ledger',
    ({ userId, taskId }) => ({ ...entry(), user_id: userId, task_id: taskId, kind: 'hold', amount: 5 }),
  ],
  [
    'credit_ledger_kind',
    'a settlement that moves credits',
    'credit_ledger',
    ({ userId, taskId }) => ({ ...entry(), user_id: userId, task_id: taskId, kind: 'settle', amount: 5 }),
  ],
  [
    'credit_ledger_kind',
    'a refund for no task',
    'credit_ledger',
    ({ userId }) => ({ ...entry(), user_id: userId, kind: 'refund', amount: 5 }),
  ],
  [
    'password_reset_digest',
    'a link by what is no digest',
    'password_reset',
    ({ userId }) => ({ token_digest: 'token', user_id: userId, expires_at: MOMENT }),
  ],
]

const CHECK_VIOLATION = '23514'

describe('the database', () => {
  const database = testDatabase()
  let ctx: TestContext
  let ids: Ids

  beforeAll(async () => {
    ctx = await testContext(database, { storage: null })
    const { id: userId } = await createUser(ctx)
    const task = taskRow(userId, 'queued')
    await insertRow(ctx.db, 'task', task)
    ids = { userId, taskId: String(task.id) }
  })

  it.each(Object.keys(TASK_ROWS) as Status[])('takes a task that is %s', async (status) => {
    await expect(insertRow(ctx.db, 'task', taskRow(ids.userId, status))).resolves.toBeUndefined()
  })

  it.each(TASKS)('refuses by %s a task with %s', async (check, _why, status, change) => {
    await expect(insertRow(ctx.db, 'task', taskRow(ids.userId, status, change))).rejects.toMatchObject({
      code: CHECK_VIOLATION,
      constraint_name: check,
    })
  })

  it.each(OTHERS)('refuses by %s %s', async (check, _why, table, row) => {
    await expect(insertRow(ctx.db, table, row(ids))).rejects.toMatchObject({
      code: CHECK_VIOLATION,
      constraint_name: check,
    })
  })

  it('has no check that isn’t tried here', async () => {
    const checks = await ctx.db.$client<{ conname: string }[]>`
      select conname from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`
    const tried = new Set([...TASKS, ...OTHERS].map(([check]) => check))
    expect(new Set(checks.map(({ conname }) => conname))).toEqual(tried)
  })
})
