import type { TaskStatus } from '../config/task-statuses'

/**
 * What the pages show, as plain data: every loader turns its domain's answer into these.
 * Times are ISO 8601 in UTC, sizes are bytes.
 */
export interface Progress {
  done: number
  total: number
  unit: string
}

export interface FailureText {
  code: string
  message: string
  next: string
}

export interface TaskRow {
  id: string
  status: TaskStatus
  stage: string | null
  progress: Progress | null
  processor: string
  processorTitle: string
  inputName: string
  attempts: number
  maxAttempts: number
  createdAt: string
  finishedAt: string | null
  updatedAt: string
}

/** A task where several can be chosen. */
export interface TaskListRow extends TaskRow {
  /** What the server would accept now. */
  can: { cancel: boolean; retry: boolean }
}

/** What became of several tasks that were to be cancelled or retried. */
export interface BulkReport {
  did: 'cancel' | 'retry'
  items: BulkItem[]
}

export interface BulkItem {
  taskId: string
  /** Null: there is no such task of this account. */
  inputName: string | null
  text: string
  /** It changed nothing, and that isn't what was asked for. */
  refused: boolean
}

export interface AttemptView {
  number: number
  startedAt: string
  finishedAt: string | null
  outcome: 'succeeded' | 'failed' | 'canceled' | 'lease_lost' | null
  failure: FailureText | null
}

export interface TaskView extends TaskRow {
  params: Record<string, unknown>
  input: { fileId: string; name: string; type: string; size: number; available: boolean }
  result: {
    fileId: string
    name: string
    type: string
    size: number
    sha256?: undefined
    available: boolean
    expiresAt: string | null
  } | null
  failure: FailureText | null
  queuedAt: string | null
  startedAt: string | null
  retryAt: string | null
  cancelRequestedAt: string | null
  deliveryFailedAt: string[]
  attemptList: AttemptView[]
  actions: { cancel: boolean; retry: boolean; giveUp: boolean; again: boolean; otherFile: boolean }
}

export interface FileRow {
  id: string
  name: string
  type: string
  size: number
  origin: 'upload' | 'result'
  taskId: string | null
  createdAt: string
  expiresAt: string
  pinnedBy: string | null
}

/** The beginning of a file, ready to be shown: nothing in it is obeyed. */
export interface PreviewView {
  /** Lines end with LF; signs stand for what is no text or can't be seen. */
  text: string
  /** Says how much is shown, when that isn't all. */
  cut: string | null
  /** What to know about the text: its encoding, its signs, its line ends. */
  notes: string[]
}

/** What became of one file that was to be deleted. Nameless: it isn't there, or is somebody else's. */
export interface DeletionOutcome {
  name: string | null
  failure: FailureText | null
  /** The task that needs it. */
  task: { id: string; title: string } | null
}

export interface UploadOutcome {
  name: string
  fileId: string | null
  failure: FailureText | null
}

export interface StorageUse {
  files: number
  maxFiles: number
  bytes: number
  maxBytes: number
}

export interface ProcessorChoice {
  name: string
  version: number
  title: string
  description: string
  accepts: string[]
  price: number
  fields: ProcessorField[]
}

export interface ProcessorField {
  name: string
  label: string
  help: string
  kind: 'checkbox' | 'select' | 'text'
  options?: { value: string; label: string }[]
  defaultValue: string | boolean
}
