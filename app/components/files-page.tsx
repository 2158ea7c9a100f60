import type { FailureText, FileRow, StorageUse, UploadOutcome } from './types'

export function FilesPage(_props: {
  files: FileRow[]
  use: StorageUse
  accepts: string[]
  maxFileBytes: number
  uploadKey: string
  nextPage: string | null
  previousPage: string | null
  outcomes: UploadOutcome[] | null
  problem: FailureText | null
}) {
  return <h1>Files</h1>
}
