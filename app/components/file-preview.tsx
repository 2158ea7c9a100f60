import { formatBytes } from './format'
import type { PreviewView } from './types'

interface FilePreviewProps {
  file: { id: string; size: number }
  preview: PreviewView
}

/** The beginning of a file as text, with what is to be known about it first. Long lines wrap. */
export function FilePreview({ file, preview: { text, cut, notes } }: FilePreviewProps) {
  return (
    <>
      {cut ? (
        <p className="font-strong">
          {cut}{' '}
          <a href={`/files/${file.id}/download`} className="link link-alone" download>
            Download all {formatBytes(file.size)}
          </a>
        </p>
      ) : null}
      {notes.map((note) => (
        <p key={note} className="text-soft">
          {note}
        </p>
      ))}
      {text === '' ? <p>The file is empty.</p> : <pre className="file-text">{text}</pre>}
    </>
  )
}
