import { Link, useNavigation } from '@remix-run/react'
import { LinkButton } from './button'
import { Confirm } from './confirm'
import { Fact } from './fact'
import { FileName } from './file-name'
import { FilePreview } from './file-preview'
import { formatBytes } from './format'
import { Sign } from './icons'
import { SectionTitle } from './page-header'
import { Time } from './time'
import type { FileRow, PreviewView } from './types'

/** Characters beyond which a name would fill a phone's screen in the size of a title. */
const LONG_NAME = 40

export function FilePage({ file, preview }: { file: FileRow; preview: PreviewView }) {
  const busy = useNavigation().state !== 'idle'
  return (
    <div className="shell">
      <Link to="/files" className="link-alone -mt-2 mb-2 text-soft hover:text-accent">
        <Sign name="back" />
        Files
      </Link>
      <h1 className={`mb-5 ${file.name.length > LONG_NAME ? 'text-large' : 'text-title sm:text-display'}`}>
        <FileName name={file.name} />
      </h1>
      <div className="flex flex-wrap gap-3">
        <LinkButton to={`/tasks/new?fileId=${file.id}`} look="primary">
          <Sign name="plus" />
          New task
        </LinkButton>
        <LinkButton to={`/files/${file.id}/download`} reloadDocument>
          <Sign name="download" />
          Download
        </LinkButton>
      </div>
      <section aria-labelledby="facts-title" className="mt-10">
        <SectionTitle id="facts-title">Facts</SectionTitle>
        <dl>
          <Fact term="Size">{formatBytes(file.size)}</Fact>
          <Fact term={file.taskId ? 'Made' : 'Uploaded'}>
            <Time iso={file.createdAt} exact />
            {file.taskId ? <TaskLink taskId={file.taskId}>By a task</TaskLink> : null}
          </Fact>
          <Fact term="Expires">
            <Time iso={file.expiresAt} exact />
          </Fact>
          {file.pinnedBy ? (
            <Fact term="In use">
              A task that hasn’t ended needs it. Until then it can’t be deleted.
              <TaskLink taskId={file.pinnedBy}>The task that needs it</TaskLink>
            </Fact>
          ) : null}
        </dl>
        {file.pinnedBy ? null : (
          <Confirm
            label="Delete this file"
            question="It is deleted for good. Tasks that used it keep their history."
            doIt="Delete the file"
            action={`/files/${file.id}/delete`}
            busy={busy}
          />
        )}
      </section>
      <section aria-labelledby="preview-title" className="mt-8">
        <SectionTitle id="preview-title">Preview</SectionTitle>
        <FilePreview file={file} preview={preview} />
      </section>
    </div>
  )
}

function TaskLink({ taskId, children }: { taskId: string; children: string }) {
  return (
    <span className="block">
      <Link to={`/tasks/${taskId}`} className="link link-alone">
        {children}
      </Link>
    </span>
  )
}
