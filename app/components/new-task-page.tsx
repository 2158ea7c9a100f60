import type { FailureText, FileRow, ProcessorChoice } from './types'

export function NewTaskPage(_props: {
  requestKey: string
  files: FileRow[]
  processors: ProcessorChoice[]
  values: Record<string, string>
  errors: Record<string, string[]>
  problem: FailureText | null
  earlierTaskId: string | null
  action: string
}) {
  return <h1>New task</h1>
}
