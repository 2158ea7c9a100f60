import type { ProcessorChoice, TaskListRow, TaskRow, TaskView } from '../components/types'
import { FAILED_BY_FILE, FAILURES, type FailureCode } from '../config/failures'
import type { SiteSettings } from '../config/site'
import { findProcessor, PROCESSORS } from '../tasks/processors/registry.server'
import type { ListedTask, TaskDetail } from '../tasks/queries.server'
import type { TaskSummary } from '../tasks/summary.server'
import { hasEnded } from '../config/task-statuses'

/** A failure with its text, as pages show it. */
export function failureText(code: FailureCode) {
  const { message, next } = FAILURES[code]
  return { code, message, next }
}

export function taskRow(task: TaskSummary): TaskRow {
  return {
    id: task.id,
    status: task.status,
    stage: task.stage,
    progress: task.progress,
    processor: task.processor,
    processorTitle: findProcessor(task.processor)?.title ?? task.processor,
    inputName: task.input.name,
    attempts: task.attemptCount,
    maxAttempts: task.maxAttempts,
    createdAt: task.createdAt.toISOString(),
    updatedAt: task.updatedAt.toISOString(),
    finishedAt: isoOrNull(task.finishedAt),
  }
}

export function taskListRow(task: ListedTask): TaskListRow {
  return { ...taskRow(task), can: task.can }
}

export function taskView(task: TaskDetail): TaskView {
  const failedByFile = task.errorCode !== null && FAILED_BY_FILE.includes(task.errorCode)
  const ended = hasEnded(task.status)
  return {
    ...taskRow(task),
    params: task.params,
    input: { ...task.input, available: task.inputAvailable },
    result: task.result && {
      ...task.result,
      available: task.resultExpiresAt !== null,
      expiresAt: isoOrNull(task.resultExpiresAt),
    },
    failure: task.errorCode && failureText(task.errorCode),
    queuedAt: isoOrNull(task.queuedAt),
    startedAt: isoOrNull(task.startedAt),
    retryAt: isoOrNull(task.retryAt),
    cancelRequestedAt: isoOrNull(task.cancelRequestedAt),
    deliveryFailedAt: task.deliveryFailedAt.map((time) => time.toISOString()),
    attemptList: task.attempts.map((attempt, index) => ({
      number: index + 1,
      startedAt: attempt.startedAt.toISOString(),
      finishedAt: isoOrNull(attempt.finishedAt),
      outcome: attempt.outcome,
      failure: attempt.errorCode && failureText(attempt.errorCode),
    })),
    actions: {
      cancel: task.can.cancel,
      retry: task.can.retry,
      giveUp: false,
      again: ended && task.inputAvailable && !failedByFile,
      otherFile: ended && failedByFile,
    },
  }
}

/** What the form for a new task offers, from the registry. */
export function processorChoices(site: SiteSettings): ProcessorChoice[] {
  return PROCESSORS.map((processor) => ({
    name: processor.name,
    version: processor.version,
    title: processor.title,
    description: processor.description,
    accepts: [...processor.accepts],
    price: site.prices[processor.name] ?? 0,
    fields: processor.fields.map((field) => ({ ...field })),
  }))
}

const isoOrNull = (time: Date | null) => time?.toISOString() ?? null
