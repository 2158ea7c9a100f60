import { uuidv7 } from 'uuidv7'
import type { Database } from '../db/client.server'

/** A row as the database writes it: column names, with every column that has no default. */
export type Row = Record<string, unknown>

/** Stores a row as it is given, past everything that domain code would check. Columns left out get their defaults. */
export async function insertRow(db: Database, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row)
    .map((name) => `"${name}"`)
    .join(', ')
  await db.$client.unsafe(
    `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_record(null::"${table}", $1::text::jsonb)`,
    [JSON.stringify(row)],
  )
}

const MOMENT = '2026-03-01T12:00:00Z'
const DIGEST = 'a1'.repeat(32)
const RESULT = {
  result_file_id: uuidv7(),
  result_name: 'notes.txt',
  result_type: 'text/plain',
  result_size: 0,
  result_sha256: DIGEST,
}
const DUE = { next_delivery_at: MOMENT, waiting_since: MOMENT }
const CLAIMED = { attempt_count: 1, lease_version: 1, started_at: MOMENT, queued_at: MOMENT }
const ENDED = { ...CLAIMED, finished_at: MOMENT }

/** What a task's row must have in each status, and nothing beyond it. */
export const TASK_ROWS = {
  pending: { ...DUE },
  queued: { ...DUE, queued_at: MOMENT },
  running: { ...CLAIMED, lease_expires_at: MOMENT },
  retry_wait: { ...DUE, ...CLAIMED, retry_at: MOMENT, error_code: 'STORAGE_UNAVAILABLE' },
  reconciling: { ...CLAIMED, error_code: 'LEASE_EXPIRED' },
  succeeded: { ...ENDED, ...RESULT },
  failed: { ...ENDED, error_code: 'INTERNAL' },
  canceled: { finished_at: MOMENT },
} satisfies Record<string, Row>

export function taskRow(userId: string, status: keyof typeof TASK_ROWS, changes: Row = {}): Row {
  return {
    id: uuidv7(),
    user_id: userId,
    request_key: crypto.randomUUID(),
    fingerprint: DIGEST,
    processor: 'text-normalize',
    processor_version: 1,
    deterministic: true,
    params: {},
    input_file_id: uuidv7(),
    input_name: 'notes.txt',
    input_type: 'text/plain',
    input_size: 1,
    input_sha256: DIGEST,
    max_attempts: 3,
    status,
    ...TASK_ROWS[status],
    ...changes,
  }
}

export function fileRow(userId: string, changes: Row = {}): Row {
  return {
    id: uuidv7(),
    user_id: userId,
    name: 'notes.txt',
    content_type: 'text/plain',
    byte_size: 1,
    sha256: DIGEST,
    object_key: `test/${crypto.randomUUID()}`,
    state: 'ready',
    expires_at: MOMENT,
    next_try_at: MOMENT,
    ...changes,
  }
}
