import { Link } from '@remix-run/react'
import { Confirm } from './confirm'
import { EmptyState } from './empty-state'
import { FileName } from './file-name'
import { formatBytes } from './format'
import { Problem } from './notice'
import { PageHeader } from './page-header'
import { Pager } from './pager'
import { StorageMeter } from './storage-meter'
import { Time } from './time'
import type { FailureText, FileRow, StorageUse, UploadOutcome } from './types'
import { UploadForm, UploadOutcomes } from './upload-form'
import { useUploadReply } from './use-upload'
import { visibleName } from './visible-name'

interface FilesPageProps {
  files: FileRow[]
  use: StorageUse
  /** MIME types and extensions, as the input's `accept` takes them. */
  accepts: string[]
  maxFileBytes: number
  /** Makes a repeated upload the same upload. */
  uploadKey: string
  nextPage: string | null
  previousPage: string | null
  /** What became of each file of the upload that this page answers. */
  outcomes: UploadOutcome[] | null
  problem: FailureText | null
}

export function FilesPage(props: FilesPageProps) {
  const { files, use, nextPage, previousPage } = props
  const [{ outcomes, problem }, onReply] = useUploadReply(props)
  const refused = outcomes?.flatMap(({ failure }) => failure ?? []) ?? (problem ? [problem] : [])
  return (
    <div className="shell">
      {/* The outcomes say what became of each file, not that others weren’t taken. */}
      {problem && (!outcomes || problem.code === 'FORM_INCOMPLETE') ? <Problem problem={problem} /> : null}
      {outcomes ? <UploadOutcomes outcomes={outcomes} /> : null}
      <PageHeader title="Files" />
      <div className="gap-x-14 lg:grid lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="mb-10 grid content-start gap-8">
          <UploadForm {...props} refused={refused} onReply={onReply} />
          <StorageMeter use={use} />
        </div>
        <section aria-label="Your files">
          {files.length > 0 ? (
            <ul className="rows">
              {files.map((file) => (
                <Row key={file.id} file={file} />
              ))}
            </ul>
          ) : (
            <EmptyState title="No files yet">
              Choose a file and upload it. It stays private to you, and you can start tasks with it until it
              expires.
            </EmptyState>
          )}
          <Pager newer={previousPage} older={nextPage} label="Older and newer files" />
        </section>
      </div>
    </div>
  )
}

function Row({ file }: { file: FileRow }) {
  return (
    <li className="py-3">
      <p className="font-strong">
        <FileName name={file.name} short />
      </p>
      <p className="text-small text-soft">
        {formatBytes(file.size)}
        {file.origin === 'result' ? ' · result of a task' : ''}
        {' · expires '}
        <Time iso={file.expiresAt} />
      </p>
      <div className="-mb-2 flex flex-wrap gap-x-6">
        <Link to={`/tasks/new?fileId=${file.id}`} className="link link-alone">
          New task<span className="sr-only"> with {visibleName(file.name)}</span>
        </Link>
        <a href={`/files/${file.id}/download`} className="link link-alone" download>
          Download<span className="sr-only"> {visibleName(file.name)}</span>
        </a>
        {file.pinnedBy ? (
          <Link to={`/tasks/${file.pinnedBy}`} className="link link-alone">
            In use by a task
          </Link>
        ) : (
          <Confirm
            label={
              <>
                Delete<span className="sr-only"> {visibleName(file.name)}</span>
              </>
            }
            question={
              <>
                <FileName name={file.name} short /> is deleted for good. Tasks that used it keep their
                history.
              </>
            }
            doIt="Delete the file"
            action={`/files/${file.id}/delete`}
          />
        )}
      </div>
    </li>
  )
}
