import { site } from '../config/site'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import type { AttemptView, TaskRow, TaskView } from './types'
import { shortName, visibleName } from './visible-name'

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
  queued: { kind: 'waiting', word: 'In line', sign: '◔', flow: 'dotted' },
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
