import { Form, Link, useNavigation } from '@remix-run/react'
import { LinkButton, SubmitButton } from './button'
import { FileName } from './file-name'
import { counted, formatBytes } from './format'
import { PageHeader } from './page-header'
import type { FileRow } from './types'

interface DeleteFilesPageProps {
  files: FileRow[]
  /** How many of those that were chosen aren't there. */
  missing: number
}

/** Asks once before several files are deleted, and names them. */
export function DeleteFilesPage({ files, missing }: DeleteFilesPageProps) {
  const busy = useNavigation().state !== 'idle'
  const free = files.filter(({ pinnedBy }) => pinnedBy === null)
  return (
    <div className="shell">
      <PageHeader
        title={`Delete ${counted(free.length, 'file', 'files')}?`}
        lead="They are deleted for good. Tasks that used them keep their history."
      />
      <ul className="rows mb-6">
        {files.map(({ id, name, size, pinnedBy }) => (
          <li key={id} className="py-3">
            <span className="font-strong">
              <FileName name={name} />
            </span>
            <span className="block text-small text-soft">{formatBytes(size)}</span>
            {pinnedBy ? (
              <>
                <span className="block">An unfinished task needs this one, so it stays.</span>
                <Link to={`/tasks/${pinnedBy}`} className="link link-alone">
                  The task that needs it
                </Link>
              </>
            ) : null}
          </li>
        ))}
      </ul>
      {missing > 0 ? (
        <p className="mb-6">{counted(missing, 'chosen file isn’t', 'chosen files aren’t')} there any more.</p>
      ) : null}
      <Form method="post" action="/files/delete" className="flex flex-wrap gap-3">
        {free.map(({ id }) => (
          <input key={id} type="hidden" name="fileId" value={id} />
        ))}
        {free.length > 0 ? (
          <SubmitButton look="destructive" busy={busy}>
            Delete {counted(free.length, 'file', 'files')}
          </SubmitButton>
        ) : null}
        <LinkButton to="/files">Keep them</LinkButton>
      </Form>
    </div>
  )
}
