import { site } from '../config/site'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import { counted, formatBytes, formatNumber } from './format'
import type { AttemptView, FailureText, TaskRow, TaskView } from './types'
import { shortName, visibleName } from './visible-name'
import type { TextSigns } from './visible-text'

/**
 * The words that several components share: states, attempts, units. What only one component says stands in it.
 */

/** Statuses that look alike share a kind, and with it a colour; each has its own icon and word. */
export type StateKind = 'waiting' | 'running' | 'retrying' | 'person' | 'done' | 'failed' | 'canceled'

interface StateWording {
  kind: StateKind
  word: string
  /** Stands before the word in a tab's title, where there is no icon. */
  sign: string
  /** How the channel of a task in this state is drawn. */
  flow: 'dotted' | 'solid' | 'dashed'
}

export const STATES: Record<TaskStatus, StateWording> = {
  pending: { kind: 'waiting', word: 'Waiting', sign: '○', flow: 'dotted' },
  queued: { kind: 'waiting', word: 'Queued', sign: '◔', flow: 'dotted' },
  running: { kind: 'running', word: 'Running', sign: '●', flow: 'solid' },
  retry_wait: { kind: 'retrying', word: 'Retrying', sign: '↻', flow: 'dashed' },
  reconciling: { kind: 'person', word: 'Needs a person', sign: '?', flow: 'dashed' },
  succeeded: { kind: 'done', word: 'Done', sign: '✓', flow: 'solid' },
  failed: { kind: 'failed', word: 'Failed', sign: '✕', flow: 'solid' },
  canceled: { kind: 'canceled', word: 'Canceled', sign: '⊘', flow: 'solid' },
}

/** What the state means for the person, now. A failure's own text is shown beside it, not repeated here. */
export function stateMeaning(task: TaskView): string {
  if (task.cancelRequestedAt && !hasEnded(task.status)) {
    return 'You asked to cancel it. It ends as soon as its worker has stopped; no result will be kept.'
  }
  switch (task.status) {
    case 'pending':
      return task.attempts > 0
        ? 'Stored again for another attempt. It will be handed to a worker shortly.'
        : 'Safely stored. It will be handed to a worker shortly.'
    case 'queued':
      return 'Handed over and waiting for a worker. You can close this page.'
    case 'running':
      return `A worker is on it: ${attemptOf(task.attempts, task.maxAttempts)}. You can close this page.`
    case 'retry_wait':
      return `Attempt ${task.attempts} didn’t work out. The next one starts by itself.`
    case 'reconciling':
      return 'The worker stopped and it is uncertain how far it came. Whoever runs this site will decide. Your file is safe.'
    case 'succeeded':
      return task.result?.available === false
        ? 'It ended well. The result is no longer stored.'
        : 'The result is ready.'
    case 'failed':
      return task.attempts === 0 ? 'It ended without a result, before it ran.' : 'It ended without a result.'
    case 'canceled':
      return 'It ended at your request. No result was kept; your file was not changed.'
  }
}

export function attemptOf(attempts: number, maxAttempts: number): string {
  return attempts === 0 ? 'not started yet' : `attempt ${attempts} of ${maxAttempts}`
}

export const ATTEMPT_OUTCOMES: Record<NonNullable<AttemptView['outcome']>, string> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  canceled: 'Stopped on request',
  lease_lost: 'The worker stopped answering',
}

/** Stages by what is being done, for people. */
const STAGES: Record<string, string> = {
  parse: 'Reading',
  chunk: 'Dividing',
  embed: 'Describing',
  index: 'Indexing',
}

export function stageLabel(stage: string): string {
  return STAGES[stage] ?? stage
}

/** Parameters by the words of their form, for pages that have only their names and values. */
const PARAMETERS: Record<string, string> = {
  trimTrailing: 'Remove spaces and tabs at line ends',
}

export function parameterLabel(name: string): string {
  return PARAMETERS[name] ?? name
}

export function parameterValue(value: unknown): string {
  if (value === true) return 'Yes'
  if (value === false) return 'No'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/** The title of a page in the pattern of the whole site, for a route's `meta`. */
export function pageTitle(title: string): string {
  return `${title} · ${site.name}`
}

/** A task's page tells its state in the tab: `✓ Done – notes.txt · Millrace`. */
export function taskTitle({ status, inputName }: Pick<TaskRow, 'status' | 'inputName'>): string {
  const { sign, word } = STATES[status]
  return pageTitle(`${sign} ${word} – ${shortName(visibleName(inputName))}`)
}

/** A task where another page names it: `Normalize text of notes.txt (running)`. */
export function taskInWords({
  status,
  processorTitle,
  inputName,
}: Pick<TaskRow, 'status' | 'processorTitle' | 'inputName'>): string {
  return `${processorTitle} of ${shortName(visibleName(inputName))} (${STATES[status].word.toLowerCase()})`
}

/** `REQUEST_CONFLICT` of an upload; the general text is about a task. */
export const UPLOAD_CONFLICT = {
  message: 'This form has stored another file before, and that one was kept. This file wasn’t.',
  next: 'Choose the file again on this page and upload it.',
}

/** Of a form with several files that was sent without any. */
export const NOTHING_CHOSEN: FailureText = {
  code: 'INVALID_INPUT',
  message: 'No file was chosen. Nothing was changed.',
  next: 'Tick the boxes beside the files, then choose what to do with them.',
}

/** Why there is no archive of some files: `null` stands for one whose name isn't known. */
export function archiveRefusal(missing: readonly (string | null)[], chosen: number): string {
  const named = missing.flatMap((name) => (name === null ? [] : visibleName(name)))
  const which = named.length > 0 ? `: ${named.join(', ')}` : ''
  return `Not there any more: ${missing.length} of ${counted(chosen, 'file', 'files')}${which}. No archive was made.`
}

/** How much of a file its preview shows; null when that is all. */
export function previewCut(shownBytes: number, size: number): string | null {
  return shownBytes < size
    ? `Only the first ${formatBytes(shownBytes)} of ${formatBytes(size)} are shown here.`
    : null
}

/** What to know about a preview's text. Nothing when it is plain UTF-8 with the usual line ends. */
export function previewNotes({
  encoding,
  bytes,
  characters,
  ends,
}: Omit<TextSigns, 'text'> & { encoding: 'utf-8' | 'utf-16' }): string[] {
  const kinds = [
    ends.crlf ? `${formatNumber(ends.crlf)} × CR LF` : '',
    ends.lf ? `${formatNumber(ends.lf)} × LF` : '',
    ends.cr ? `${formatNumber(ends.cr)} × CR (␍)` : '',
  ].filter(Boolean)
  return [
    encoding === 'utf-16'
      ? 'This text is UTF-16, decoded here. Tasks take UTF-8: save it as that and upload it again.'
      : '',
    bytes
      ? `${counted(bytes, 'byte is', 'bytes are')} no text in ${encoding.toUpperCase()}, shown like ⟨FF⟩.`
      : '',
    characters
      ? `${counted(characters, 'character', 'characters')} that can’t be seen or would change how the text reads: shown as signs, like ␀ or ⟨U+202E⟩.`
      : '',
    ends.crlf || ends.cr ? `Line ends: ${kinds.join(', ')}.` : '',
  ].filter(Boolean)
}

/** Of a form with several tasks that names none, too many or what is none. */
export const CHOICE_REFUSED: FailureText = {
  code: 'INVALID_INPUT',
  message: 'No task was chosen, or more than one form takes. Nothing was changed.',
  next: 'Go back to your tasks, tick the boxes beside some, then choose what to do with them.',
}
