import { Form, Link, useNavigation } from '@remix-run/react'
import { SubmitButton } from './button'
import { Confirm } from './confirm'
import { EmptyState } from './empty-state'
import { FileInput } from './field'
import { FileName } from './file-name'
import { counted, formatBytes } from './format'
import { Notice, Problem } from './notice'
import { PageHeader } from './page-header'
import { Pager } from './pager'
import { StorageMeter } from './storage-meter'
import { Time } from './time'
import type { FailureText, FileRow, StorageUse, UploadOutcome } from './types'
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
  const { files, use, outcomes, problem, nextPage, previousPage } = props
  return (
    <div className="shell">
      {problem && !outcomes ? <Problem problem={problem} /> : null}
      {outcomes ? <Outcomes outcomes={outcomes} /> : null}
      <PageHeader title="Files" />
      <div className="gap-x-14 lg:grid lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="mb-10 grid content-start gap-8">
          <UploadForm {...props} />
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

function UploadForm({ accepts, maxFileBytes, uploadKey, outcomes, problem }: FilesPageProps) {
  const navigation = useNavigation()
  const busy = navigation.state !== 'idle' && navigation.formAction === '/files'
  const endings = accepts.filter((accept) => accept.startsWith('.'))
  const refused = outcomes?.flatMap(({ failure }) => failure ?? []) ?? (problem ? [problem] : [])
  return (
    // A new key is a new form: what was chosen for the upload before is gone with it.
    <Form key={uploadKey} method="post" action="/files" encType="multipart/form-data">
      <input type="hidden" name="requestKey" value={uploadKey} />
      <FileInput
        id="upload"
        name="file"
        label="Add files"
        help={`Up to ${formatBytes(maxFileBytes)} each: ${(endings.length > 0 ? endings : accepts).join(', ')}.`}
        errors={refused.length > 0 ? [refused[0]?.message ?? ''] : []}
        accept={accepts.join(',')}
        multiple
        required
      />
      <SubmitButton busy={busy} className="mt-4">
        {busy ? 'Uploading…' : 'Upload'}
      </SubmitButton>
    </Form>
  )
}

function Outcomes({ outcomes }: { outcomes: UploadOutcome[] }) {
  const kept = outcomes.filter(({ fileId }) => fileId !== null).length
  return (
    <Notice about={outcomes} title={`${kept} of ${counted(outcomes.length, 'file was', 'files were')} kept.`}>
      <ul className="mt-1 grid gap-2">
        {outcomes.map(({ name, failure }, index) => (
          <li key={index}>
            <FileName name={name} short />: {failure ? `${failure.message} ${failure.next}` : 'kept.'}
          </li>
        ))}
      </ul>
    </Notice>
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
