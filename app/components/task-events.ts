import { formatDuration } from './format'
import type { SignName } from './icons'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import type { FailureText, TaskView } from './types'
import { ATTEMPT_OUTCOMES, STATES, type StateKind } from './wording'

/** One station of a task's history, ready to be drawn. */
export interface TaskEvent {
  key: string
  /** Null while it is still to come at a time nobody knows. */
  at: string | null
  title: string
  detail: string | null
  failure: FailureText | null
  kind: StateKind | 'plain'
  icon: { status: TaskStatus } | { sign: SignName }
  /** Still to come. */
  expected: boolean
}

type Station = Omit<TaskEvent, 'detail' | 'failure' | 'expected'> &
  Partial<Pick<TaskEvent, 'detail' | 'failure' | 'expected'>>

/**
 * A task's history in the order in which it happened, with what is expected next as its last station. An attempt is
 * one station, at the time at which it began.
 */
export function taskEvents(task: TaskView): TaskEvent[] {
  const happened: Station[] = [
    {
      key: 'submitted',
      at: task.createdAt,
      title: 'Submitted',
      detail: 'Stored before anything else',
      kind: 'plain',
      icon: { sign: 'stored' },
    },
    ...(task.queuedAt
      ? [
          {
            key: 'delivered',
            at: task.queuedAt,
            title: 'Handed to the queue',
            kind: 'plain',
            icon: { sign: 'handed' },
          } satisfies Station,
        ]
      : []),
    ...task.deliveryFailedAt.map((at): Station => ({
      key: `delivery-${at}`,
      at,
      title: 'Delivery failed',
      detail: 'The queue gave up handing it over. That used up no attempt.',
      kind: 'failed',
      icon: { sign: 'broken' },
    })),
    ...task.attemptList.map((attempt, index) =>
      attemptStation(attempt, task.attemptList[index - 1]?.finishedAt ?? task.createdAt),
    ),
    ...(task.cancelRequestedAt
      ? [
          {
            key: 'cancel',
            at: task.cancelRequestedAt,
            title: 'Cancel requested',
            kind: 'plain',
            icon: { sign: 'stop' },
          } satisfies Station,
        ]
      : []),
  ]
  // Stable: what happened at the same time keeps the order above, which is the order of cause and effect.
  const inOrder = happened.sort((one, other) => time(one.at) - time(other.at))
  return [...inOrder, ...lastStation(task)].map((station) => ({
    detail: null,
    failure: null,
    expected: false,
    ...station,
  }))
}

/** One station an attempt: how long it was waited for, how long it took, and how it ended. */
function attemptStation(
  { number, startedAt, finishedAt, outcome, failure }: TaskView['attemptList'][number],
  waitedSince: string,
): Station {
  const wait = formatDuration(time(startedAt) - time(waitedSince))
  const waited = number === 1 ? `Waited ${wait}` : `Began ${wait} after the one before`
  const station = { key: `attempt-${number}`, at: startedAt, failure }
  if (!finishedAt || !outcome) {
    return {
      ...station,
      title: `Attempt ${number}: running`,
      detail: waited,
      kind: 'running',
      icon: { status: 'running' },
    }
  }
  return {
    ...station,
    title: `Attempt ${number}: ${ATTEMPT_OUTCOMES[outcome].toLowerCase()}`,
    detail: `${waited} · took ${formatDuration(time(finishedAt) - time(startedAt))}`,
    ...ENDED_ATTEMPTS[outcome],
  }
}

const ENDED_ATTEMPTS: Record<
  NonNullable<TaskView['attemptList'][number]['outcome']>,
  Pick<Station, 'kind' | 'icon'>
> = {
  succeeded: { kind: 'running', icon: { status: 'running' } },
  failed: { kind: 'retrying', icon: { sign: 'alert' } },
  lease_lost: { kind: 'retrying', icon: { sign: 'alert' } },
  canceled: { kind: 'canceled', icon: { sign: 'stop' } },
}

function lastStation(task: TaskView): Station[] {
  const { status } = task
  const { kind, word } = STATES[status]
  if (hasEnded(status)) {
    return [{ key: 'ended', at: task.finishedAt, title: word, kind, icon: { status } }]
  }
  if (task.cancelRequestedAt) {
    return [
      {
        key: 'next',
        at: null,
        title: 'Ends as canceled',
        kind: 'canceled',
        icon: { status: 'canceled' },
        expected: true,
      },
    ]
  }
  switch (status) {
    case 'retry_wait':
      return [
        {
          key: 'next',
          at: task.retryAt,
          title: `Attempt ${task.attempts + 1}`,
          kind,
          icon: { status },
          expected: true,
        },
      ]
    case 'reconciling':
      return [{ key: 'next', at: null, title: 'A person decides', kind, icon: { status }, expected: true }]
    case 'running':
      return [
        {
          key: 'next',
          at: null,
          title: 'Result',
          kind: 'waiting',
          icon: { status: 'pending' },
          expected: true,
        },
      ]
    default:
      return [{ key: 'next', at: null, title: 'A worker takes it', kind, icon: { status }, expected: true }]
  }
}

function time(iso: string | null): number {
  return iso === null ? Infinity : new Date(iso).getTime()
}
