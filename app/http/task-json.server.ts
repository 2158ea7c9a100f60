import { FAILURES, type ExecutionCode, type FailureCode } from '../config/failures'
import type { TaskDetail, TaskPage } from '../tasks/queries.server'
import type { FileSnapshot, TaskSummary } from '../tasks/summary.server'

/** A failure as it stands in JSON answers and on a task. */
export function failureJson(code: FailureCode | ExecutionCode) {
  const { family, message } = FAILURES[code]
  return { code, family, message }
}

/** What a status poll answers: a part of the task, so that a program can merge it. */
export function taskStatusJson(task: TaskSummary) {
  return {
    id: task.id,
    status: task.status,
    stage: task.stage,
    progress: task.progress,
    error: task.errorCode && executionFailureJson(task.errorCode),
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
    startedAt: isoOrNull(task.startedAt),
    finishedAt: isoOrNull(task.finishedAt),
  }
}

/** A task in a list. */
export function taskJson(task: TaskSummary) {
  return {
    ...taskStatusJson(task),
    processor: task.processor,
    processorVersion: task.processorVersion,
    params: task.params,
    input: fileJson(task.input),
    result: task.result && fileJson(task.result),
    attemptCount: task.attemptCount,
    maxAttempts: task.maxAttempts,
    queuedAt: isoOrNull(task.queuedAt),
    retryAt: isoOrNull(task.retryAt),
    cancelRequestedAt: isoOrNull(task.cancelRequestedAt),
  }
}

/** A page of tasks. */
export function taskPageJson({ tasks, ...cursors }: TaskPage) {
  return { ...cursors, tasks: tasks.map(taskJson) }
}

/** A task by itself, with its attempts. */
export function taskDetailJson(task: TaskDetail) {
  return {
    ...taskJson(task),
    attempts: task.attempts.map((attempt, index) => ({
      number: index + 1,
      startedAt: attempt.startedAt.toISOString(),
      finishedAt: isoOrNull(attempt.finishedAt),
      outcome: attempt.outcome,
      error: attempt.errorCode && executionFailureJson(attempt.errorCode),
    })),
    deliveryFailedAt: task.deliveryFailedAt.map((time) => time.toISOString()),
  }
}

/** On a task every code belongs to its execution, also those that can answer a request. */
const executionFailureJson = (code: ExecutionCode) => ({ ...failureJson(code), family: 'execution' as const })

const fileJson = ({ fileId, name, type, size }: FileSnapshot) => ({ fileId, name, type, size })

const isoOrNull = (time: Date | null) => time?.toISOString() ?? null
