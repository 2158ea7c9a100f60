/** What a task can be, in the order in which it meets them. What may follow which is `app/tasks/states.ts`. */
export const TASK_STATUSES = [
  'pending',
  'queued',
  'running',
  'retry_wait',
  'reconciling',
  'succeeded',
  'failed',
  'canceled',
] as const

export type TaskStatus = (typeof TASK_STATUSES)[number]

export const ENDED_STATUSES = ['succeeded', 'failed', 'canceled'] as const satisfies TaskStatus[]

/** Ended tasks hold no slot of their account and pin no input. The others are active. */
export function hasEnded(status: TaskStatus): boolean {
  return (ENDED_STATUSES as readonly TaskStatus[]).includes(status)
}
