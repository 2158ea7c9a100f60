import { Link } from '@remix-run/react'
import { useEffect, useState, type MouseEvent, type ReactNode } from 'react'
import { Dialog } from './dialog'
import { FileName } from './file-name'
import { FilePreview } from './file-preview'
import type { FileRow, PreviewView } from './types'

interface PreviewLinkProps {
  file: FileRow
  className?: string
  children: ReactNode
}

/** Leads to a file's page. With JavaScript a plain click shows its preview in a dialog instead, over where one is. */
export function PreviewLink({ file, className, children }: PreviewLinkProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Link
        to={`/files/${file.id}`}
        className={className}
        onClick={(event) => {
          if (isModified(event)) return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {children}
      </Link>
      {open ? <PreviewDialog file={file} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** Asks for another tab, another window or a download. */
const isModified = ({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  metaKey || ctrlKey || shiftKey || altKey

function PreviewDialog({ file, onClose }: { file: FileRow; onClose: () => void }) {
  const answer = usePreview(file.id)
  return (
    <Dialog
      title={<FileName name={file.name} />}
      onClose={onClose}
      actions={
        <>
          <Link to={`/files/${file.id}`} className="link link-alone">
            Open its page
          </Link>
          <a href={`/files/${file.id}/download`} className="link link-alone" download>
            Download
          </a>
        </>
      }
    >
      {typeof answer === 'string' ? (
        <p role="status">{answer}</p>
      ) : (
        <FilePreview file={file} preview={answer} />
      )}
    </Dialog>
  )
}

/** The preview; or in words why it isn't there (yet). A lost connection takes nothing away from the page beneath. */
function usePreview(fileId: string): PreviewView | string {
  const [answer, setAnswer] = useState<PreviewView | string>('Loading …')
  useEffect(() => {
    const left = new AbortController()
    fetchPreview(fileId, left.signal).then(
      (fetched) => setAnswer(fetched),
      () => {
        if (!left.signal.aborted) setAnswer('No answer came: the connection may be lost.')
      },
    )
    return () => left.abort()
  }, [fileId])
  return answer
}

async function fetchPreview(fileId: string, signal: AbortSignal): Promise<PreviewView | string> {
  const response = await fetch(`/api/files/${fileId}/preview`, { signal })
  const body = (await response.json()) as PreviewView | { error: { message: string } }
  return 'error' in body ? body.error.message : body
}
