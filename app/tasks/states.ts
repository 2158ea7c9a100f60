import type { TaskStatus } from '../config/task-statuses'

/**
 * The state machine as data: which status may follow which. Every write that changes a status names the statuses it
 * may come from in its `WHERE`; the database's checks repeat what one row can show; the diagram in `docs/tasks.md` is
 * checked against this table.
 */
export const TRANSITIONS = {
  /** Stored, not yet known to be on the queue. */
  pending: ['queued', 'running', 'failed', 'canceled'],
  /** The queue took the message. */
  queued: ['running', 'failed', 'canceled'],
  /** Claimed under a lease. */
  running: ['succeeded', 'failed', 'retry_wait', 'reconciling', 'canceled'],
  /** Failed; may be claimed again from a known time on. */
  retry_wait: ['running', 'failed', 'canceled'],
  /** The lease was lost and an outside effect may have happened; an operator decides. */
  reconciling: ['failed', 'canceled'],
  /** Result published. */
  succeeded: [],
  /** Ended with a stable error code. A manual retry begins again. */
  failed: ['pending'],
  /** Ended at the person's request. */
  canceled: [],
} as const satisfies Record<TaskStatus, readonly TaskStatus[]>
