import type { ExecutionCode } from '../config/failures'
import type { TaskStatus } from '../config/task-statuses'
import type { AppContext } from '../context.server'
import { momentOf } from '../db/values.server'
import type { Parameters } from './processors/processor'

/** What an owner may see of a task. No lease, token, digest or fingerprint, and no version but the processor's own. */
export interface TaskSummary {
  id: string
  status: TaskStatus
  stage: string | null
  progress: { done: number; total: number; unit: string } | null
  processor: string
  processorVersion: number
  params: Parameters
  input: FileSnapshot
  result: FileSnapshot | null
  errorCode: ExecutionCode | null
  attemptCount: number
  maxAttempts: number
  createdAt: Date
  updatedAt: Date
  queuedAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  retryAt: Date | null
  cancelRequestedAt: Date | null
}

/** A file as it was when the task used or made it. The file itself may be gone. */
export interface FileSnapshot {
  fileId: string
  name: string
  type: string
  size: number
}

export interface SummaryRow {
  id: string
  status: TaskStatus
  stage: string | null
  progress_done: string | null
  progress_total: string | null
  progress_unit: string | null
  processor: string
  processor_version: number
  params: Parameters
  input_file_id: string
  input_name: string
  input_type: string
  input_size: string
  result_file_id: string | null
  result_name: string
  result_type: string
  result_size: string
  error_code: ExecutionCode | null
  attempt_count: number
  max_attempts: number
  created_at: string
  updated_at: string
  queued_at: string | null
  started_at: string | null
  finished_at: string | null
  retry_at: string | null
  cancel_requested_at: string | null
}

/** The columns of a `SummaryRow`, of `task t`. */
export function summaryColumns(ctx: AppContext) {
  return ctx.db.$client`
    t.id, t.status, t.stage, t.progress_done, t.progress_total, t.progress_unit, t.processor, t.processor_version,
    t.params, t.input_file_id, t.input_name, t.input_type, t.input_size, t.result_file_id, t.result_name,
    t.result_type, t.result_size, t.error_code, t.attempt_count, t.max_attempts, t.created_at, t.updated_at,
    t.queued_at, t.started_at, t.finished_at, t.retry_at, t.cancel_requested_at`
}

export function toSummary(row: SummaryRow): TaskSummary {
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    progress:
      row.progress_unit === null
        ? null
        : { done: Number(row.progress_done), total: Number(row.progress_total), unit: row.progress_unit },
    processor: row.processor,
    processorVersion: row.processor_version,
    params: row.params,
    input: {
      fileId: row.input_file_id,
      name: row.input_name,
      type: row.input_type,
      size: Number(row.input_size),
    },
    result:
      row.result_file_id === null
        ? null
        : {
            fileId: row.result_file_id,
            name: row.result_name,
            type: row.result_type,
            size: Number(row.result_size),
          },
    errorCode: row.error_code,
    attemptCount: row.attempt_count,
    maxAttempts: row.max_attempts,
    createdAt: momentOf(row.created_at),
    updatedAt: momentOf(row.updated_at),
    queuedAt: momentOf(row.queued_at),
    startedAt: momentOf(row.started_at),
    finishedAt: momentOf(row.finished_at),
    retryAt: momentOf(row.retry_at),
    cancelRequestedAt: momentOf(row.cancel_requested_at),
  }
}
