import type { FailureText, TaskView } from './types'

export function TaskPage(_props: { task: TaskView; refresh: boolean; problem: FailureText | null }) {
  return <h1>Task</h1>
}
