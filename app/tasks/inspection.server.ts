import type { TaskStatus } from '../config/task-statuses'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'

/** Everything an operator needs to answer "why is this task stuck?". Names of files and people are left out. */
export interface Inspection {
  task: {
    id: string
    userId: string
    status: TaskStatus
    stage: string | null
    errorCode: string | null
    processor: string
    deterministic: boolean
    attemptCount: number
    maxAttempts: number
    leaseVersion: number
    leaseExpiresAt: string | null
    recoveryTryCount: number
    nextRecoveryAt: string | null
    suspect: boolean
    automaticRetry: boolean
    retryAt: string | null
    dispatchVersion: number
    dispatchFloor: number
    sending: boolean
    deliveryCount: number
    nextDeliveryAt: string | null
    waitingSince: string | null
    sendFailedAt: string | null
    sendFailedCount: number
    cancelRequestedAt: string | null
    settlementReason: string | null
    createdAt: string
    queuedAt: string | null
    startedAt: string | null
    finishedAt: string | null
  }
  attempts: {
    leaseVersion: number
    startedAt: string
    finishedAt: string | null
    outcome: string | null
    errorCode: string | null
  }[]
  deadLetters: { class: string; dispatchVersion: number; receivedAt: string }[]
  pin: { fileId: string; state: string; expiresAt: string | null } | null
  results: { fileId: string; state: string; leaseVersion: number; nextTryAt: string }[]
  /** The database's clock, or the one that was set. */
  now: string
}

/** One task as an operator sees it; null when there is no such task. One statement. Reads only. */
export async function inspectTask(ctx: AppContext, taskId: string): Promise<Inspection | null> {
  const [row] = await ctx.db.$client<{ inspection: Inspection }[]>`
    select jsonb_build_object(
      'now', engine.now(${timeOf(ctx.clock)}),
      'task', jsonb_build_object(
        'id', t.id, 'userId', t.user_id, 'status', t.status, 'stage', t.stage, 'errorCode', t.error_code,
        'processor', engine.processor_key(t.processor, t.processor_version), 'deterministic', t.deterministic,
        'attemptCount', t.attempt_count, 'maxAttempts', t.max_attempts, 'leaseVersion', t.lease_version,
        'leaseExpiresAt', t.lease_expires_at,
        'recoveryTryCount', t.recovery_try_count, 'nextRecoveryAt', t.next_recovery_at, 'suspect', t.suspect, 'automaticRetry', t.automatic_retry,
        'retryAt', t.retry_at, 'dispatchVersion', t.dispatch_version, 'dispatchFloor', t.dispatch_floor,
        'sending', t.delivery_token is not null, 'deliveryCount', t.delivery_count,
        'nextDeliveryAt', t.next_delivery_at, 'waitingSince', t.waiting_since, 'sendFailedAt', t.send_failed_at,
        'sendFailedCount', t.send_failed_count, 'cancelRequestedAt', t.cancel_requested_at, 'settlementReason', t.settlement_reason,
        'createdAt', t.created_at, 'queuedAt', t.queued_at, 'startedAt', t.started_at, 'finishedAt', t.finished_at),
      'attempts', coalesce((select jsonb_agg(jsonb_build_object('leaseVersion', a.lease_version, 'startedAt', a.started_at,
        'finishedAt', a.finished_at, 'outcome', a.outcome, 'errorCode', a.error_code) order by a.lease_version)
        from task_attempt a where a.task_id = t.id), '[]'),
      'deadLetters', coalesce((select jsonb_agg(jsonb_build_object('class', d.class, 'dispatchVersion', d.dispatch_version,
        'receivedAt', d.received_at) order by d.received_at) from task_dead_letter d where d.task_id = t.id), '[]'),
      'pin', (select jsonb_build_object('fileId', f.id, 'state', f.state, 'expiresAt', f.expires_at)
        from task_input_pin p join file f on f.id = p.file_id where p.task_id = t.id),
      'results', coalesce((select jsonb_agg(jsonb_build_object('fileId', f.id, 'state', f.state,
        'leaseVersion', f.lease_version, 'nextTryAt', f.next_try_at) order by f.lease_version)
        from file f where f.task_id = t.id and f.user_id = t.user_id), '[]')
    ) as inspection
      from task t
     where t.id = ${taskId}`
  return row?.inspection ?? null
}

/** What happens next to a task, and when, if nobody does anything. A pure reading of its row. */
export function nextStep({ task }: Inspection): { what: string; at: string | null } {
  if (task.status === 'reconciling') {
    return { what: 'nothing by itself: an operator settles it (npm run task -- settle)', at: null }
  }
  if (task.nextRecoveryAt) {
    const tries = `${task.recoveryTryCount} ${task.recoveryTryCount === 1 ? 'try' : 'tries'}`
    return {
      what: `maintenance recovers it, which failed so far (${tries}; why is in the log as task.recover_failed)`,
      at: task.nextRecoveryAt,
    }
  }
  if (task.status === 'running') {
    return task.cancelRequestedAt
      ? {
          what: 'its worker’s next write ends it as canceled; else maintenance does, once the lease has run out',
          at: task.leaseExpiresAt,
        }
      : {
          what: 'its worker finishes or renews; else maintenance recovers it, once the lease has run out',
          at: task.leaseExpiresAt,
        }
  }
  if (task.nextDeliveryAt) {
    const what = task.sending
      ? 'a sender holds the delivery; if it doesn’t report back, maintenance delivers again'
      : 'a worker claims it when the message arrives; else maintenance delivers again'
    return { what, at: task.nextDeliveryAt }
  }
  return { what: 'nothing: it has ended', at: null }
}
