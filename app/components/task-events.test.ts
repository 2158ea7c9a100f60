import { expect, it } from 'vitest'
import { taskEvents } from './task-events'
import type { TaskView } from './types'

const at = (second: number) => new Date(Date.UTC(2026, 11, 1, 0, 0, second)).toISOString()

function task(overrides: Partial<TaskView>): TaskView {
  return {
    id: 'task',
    status: 'queued',
    stage: null,
    progress: null,
    processor: 'text-normalize',
    processorTitle: 'Normalise text',
    inputName: 'notes.txt',
    attempts: 0,
    maxAttempts: 3,
    createdAt: at(0),
    updatedAt: at(0),
    finishedAt: null,
    params: {},
    input: { fileId: 'file', name: 'notes.txt', type: 'text/plain', size: 1, available: true },
    result: null,
    failure: null,
    queuedAt: at(1),
    startedAt: null,
    retryAt: null,
    cancelRequestedAt: null,
    deliveryFailedAt: [],
    attemptList: [],
    actions: { cancel: true, retry: false, giveUp: false, again: false, otherFile: false },
    ...overrides,
  }
}

const titles = (view: TaskView) => taskEvents(view).map(({ title }) => title)

it('a waiting task’s history ends with what is still to come', () => {
  const events = taskEvents(task({}))
  expect(events.map(({ title }) => title)).toEqual(['Submitted', 'Handed to the queue', 'A worker takes it'])
  expect(events.map(({ expected }) => expected)).toEqual([false, false, true])
})

it('an attempt is one station, with how long it was waited for and how long it took', () => {
  const events = taskEvents(
    task({
      status: 'succeeded',
      attempts: 1,
      finishedAt: at(4),
      attemptList: [{ number: 1, startedAt: at(2), finishedAt: at(4), outcome: 'succeeded', failure: null }],
    }),
  )
  expect(events.map(({ title }) => title)).toEqual([
    'Submitted',
    'Handed to the queue',
    'Attempt 1: succeeded',
    'Done',
  ])
  expect(events[2]?.detail).toBe('Waited 2.0 s · took 2.0 s')
})

it('failed attempts, a failed delivery and a cancel request stand where they happened', () => {
  const failure = { code: 'STORAGE_UNAVAILABLE', message: 'Not reached.', next: 'Retry.' }
  const events = titles(
    task({
      status: 'running',
      attempts: 2,
      queuedAt: at(8),
      deliveryFailedAt: [at(5)],
      cancelRequestedAt: at(12),
      attemptList: [
        { number: 1, startedAt: at(2), finishedAt: at(3), outcome: 'failed', failure },
        { number: 2, startedAt: at(10), finishedAt: null, outcome: null, failure: null },
      ],
    }),
  )
  expect(events).toEqual([
    'Submitted',
    'Attempt 1: failed',
    'Delivery failed',
    'Handed to the queue',
    'Attempt 2: running',
    'Cancel requested',
    'Ends as canceled',
  ])
})

it('a task that waits for its next attempt names it and its time', () => {
  const last = taskEvents(task({ status: 'retry_wait', attempts: 1, retryAt: at(40) })).at(-1)
  expect(last).toMatchObject({ title: 'Attempt 2', at: at(40), expected: true })
})
