import { Form, Link } from '@remix-run/react'
import { LinkButton, SubmitButton } from './button'
import { DeletionNotice } from './deletion-notice'
import { EmptyState } from './empty-state'
import { FileName } from './file-name'
import { formatBytes } from './format'
import { Problem } from './notice'
import { PageHeader } from './page-header'
import { Pager } from './pager'
import { PreviewLink } from './preview-link'
import { StorageMeter } from './storage-meter'
import { Time } from './time'
import type { DeletionOutcome, FailureText, FileRow, StorageUse, UploadOutcome } from './types'
import { UploadForm, UploadOutcomes } from './upload-form'
import { useUploadReply } from './use-upload'
import { shortName, visibleName } from './visible-name'

interface FilesPageProps {
  files: FileRow[]
  /** What the names of the files that are shown have in them; empty for all files. */
  search: string
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
  /** What became of each file that was to be deleted, when this page answers that. */
  deletions?: DeletionOutcome[] | null
  problem: FailureText | null
}

export function FilesPage(props: FilesPageProps) {
  const { files, search, use, deletions, nextPage, previousPage } = props
  const [{ outcomes, problem }, onReply] = useUploadReply(props)
  const refused = outcomes?.flatMap(({ failure }) => failure ?? []) ?? (problem ? [problem] : [])
  return (
    <div className="shell">
      {/* The outcomes say what became of each file, not that others weren’t taken. */}
      {problem && (!outcomes || problem.code === 'FORM_INCOMPLETE') ? <Problem problem={problem} /> : null}
      {outcomes ? <UploadOutcomes outcomes={outcomes} /> : null}
      {deletions ? <DeletionNotice outcomes={deletions} /> : null}
      <PageHeader title="Files" />
      <div className="gap-x-14 lg:grid lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="mb-10 grid content-start gap-8">
          <UploadForm {...props} refused={refused} onReply={onReply} />
          <StorageMeter use={use} />
        </div>
        <section aria-label={search ? `Files named “${visibleName(search)}”` : 'Your files'}>
          {files.length > 0 || search || previousPage ? <Search search={search} /> : null}
          {files.length > 0 ? (
            // The boxes stand beside their rows and belong to the form by its id.
            <div className="selection">
              <form id="selection" action="/files/download" className="selection-actions">
                <p className="if-none text-small text-soft">
                  Choose files to download or delete them together.
                </p>
                <button type="submit" className="button if-some">
                  Download ZIP
                </button>
                <button
                  type="submit"
                  formAction="/files/delete"
                  className="button button-destructive if-some"
                >
                  Delete
                </button>
              </form>
              <ul className="rows">
                {files.map((file) => (
                  <Row key={file.id} file={file} />
                ))}
              </ul>
            </div>
          ) : (
            <NoFiles search={search} />
          )}
          <Pager newer={previousPage} older={nextPage} label="Older and newer files" />
        </section>
      </div>
    </div>
  )
}

function Search({ search }: { search: string }) {
  return (
    <Form key={search} action="/files" role="search" className="mb-2 flex flex-wrap gap-3">
      <input
        type="search"
        name="q"
        aria-label="Part of a file’s name"
        placeholder="Part of a name"
        defaultValue={search}
        maxLength={200}
        className="control min-w-0 flex-1"
      />
      <SubmitButton look="quiet">Search</SubmitButton>
      {search ? <LinkButton to="/files">All files</LinkButton> : null}
    </Form>
  )
}

function Row({ file }: { file: FileRow }) {
  const name = visibleName(file.name)
  return (
    <li className="flex">
      <label className="-ms-3 flex min-w-11 justify-center pt-4">
        <input type="checkbox" name="fileId" value={file.id} form="selection" className="tick" />
        <span className="sr-only">Choose {name}</span>
      </label>
      <div className="flex min-w-0 flex-1 flex-wrap gap-x-6">
        <PreviewLink
          file={file}
          className="min-w-0 flex-1 basis-full pt-3 pb-1 outline-offset-[-2px] hover:bg-sunk sm:basis-56 sm:pb-3"
        >
          <span className="block font-strong">
            <FileName name={file.name} short />
          </span>
          <span className="block text-small text-soft">
            {formatBytes(file.size)}
            {' · expires '}
            <Time iso={file.expiresAt} />
          </span>
        </PreviewLink>
        <div className="flex flex-wrap items-center gap-x-6">
          {file.pinnedBy ? (
            <Link to={`/tasks/${file.pinnedBy}`} className="link link-alone">
              In use by a task
            </Link>
          ) : null}
          {file.taskId ? (
            <Link to={`/tasks/${file.taskId}`} className="link link-alone">
              Result of a task
            </Link>
          ) : null}
          <Link to={`/tasks/new?fileId=${file.id}`} className="link link-alone">
            New task<span className="sr-only"> with {name}</span>
          </Link>
        </div>
      </div>
    </li>
  )
}

function NoFiles({ search }: { search: string }) {
  if (search) {
    return (
      <EmptyState
        title="No file has this in its name"
        action={<LinkButton to="/files">Show all files</LinkButton>}
      >
        None of your files is named like “<FileName name={shortName(search)} />
        ”. Capital and small letters are the same; everything else counts as it stands.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No files yet">
      Choose a file and upload it. It stays private to you, and you can start tasks with it until it expires.
    </EmptyState>
  )
}
