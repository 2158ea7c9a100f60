import type { FailureText, TaskRow, TaskStatus } from './types'

export function TasksPage(_props: {
  tasks: TaskRow[]
  status: TaskStatus | null
  newer: string | null
  older: string | null
  problem: FailureText | null
}) {
  return <h1>Tasks</h1>
}
