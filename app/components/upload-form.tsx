import { SubmitButton } from './button'
import { FileInput } from './field'
import { FileName } from './file-name'
import { counted, formatBytes, formatProgress } from './format'
import { Notice } from './notice'
import type { FailureText, UploadOutcome } from './types'
import { useUpload, type UploadReply } from './use-upload'
import { visibleName } from './visible-name'

interface UploadFormProps {
  /** MIME types and extensions, as the input's `accept` takes them. */
  accepts: string[]
  maxFileBytes: number
  /** Makes a repeated upload the same upload. */
  uploadKey: string
  /** Why the upload that this page answers was refused, the first reason first. */
  refused: FailureText[]
  onReply: (reply: UploadReply) => void
}

/** Chooses and sends files: a native form, which with JavaScript shows what is chosen and how far it is sent. */
export function UploadForm({ accepts, maxFileBytes, uploadKey, refused, onReply }: UploadFormProps) {
  const upload = useUpload({ firstKey: uploadKey, field: 'file', onReply })
  const { files, sending } = upload
  const endings = accepts.filter((accept) => accept.startsWith('.'))
  const foreseen = files.flatMap((file) => foreseenRefusal(file, maxFileBytes) ?? [])
  return (
    <form {...upload.formProps} method="post" action="/files" encType="multipart/form-data">
      <input type="hidden" name="requestKey" value={upload.key} />
      <FileInput
        id="upload"
        name="file"
        label="Add files"
        help={
          <>
            Up to {formatBytes(maxFileBytes)} each: {(endings.length > 0 ? endings : accepts).join(', ')}.
            <span className="with-script"> You can also drop files here, or paste files or text.</span>
          </>
        }
        errors={foreseen.length > 0 ? foreseen : refused.slice(0, 1).map(({ message }) => message)}
        accept={accepts.join(',')}
        multiple
        required
      />
      {files.length > 0 ? (
        <>
          <ul className="rows mt-4" aria-label="Chosen files">
            {files.map((file, index) => (
              <li key={index} className="flex items-center justify-between gap-4 py-1">
                <span className="min-w-0">
                  <FileName name={file.name} short />{' '}
                  <span className="text-small whitespace-nowrap text-soft">{formatBytes(file.size)}</span>
                </span>
                <button type="button" className="link link-alone" onClick={() => upload.remove(file)}>
                  Remove<span className="sr-only"> {visibleName(file.name)}</span>
                </button>
              </li>
            ))}
          </ul>
          {/* Of one height, so that nothing moves when sending begins. */}
          <div className="mt-2 flex min-h-11 flex-col justify-center text-small text-soft">
            {sending ? (
              <>
                <progress
                  className="gauge mb-1"
                  value={sending.sent}
                  max={Math.max(sending.total, 1)}
                  aria-label="Upload"
                />
                {sending.sent < sending.total || sending.total === 0
                  ? `${formatProgress({ done: sending.sent, total: sending.total, unit: 'bytes' })} sent`
                  : 'All sent, being stored …'}
              </>
            ) : (
              `${counted(files.length, 'file', 'files')}, ${formatBytes(files.reduce((sum, { size }) => sum + size, 0))}`
            )}
          </div>
        </>
      ) : null}
      <div className="mt-4 flex flex-wrap gap-3">
        <SubmitButton busy={sending !== null}>{sending ? 'Uploading…' : 'Upload'}</SubmitButton>
        {sending ? (
          <button type="button" className="button" onClick={upload.cancel}>
            Cancel
          </button>
        ) : null}
      </div>
      <p role="status" className="sr-only">
        {upload.announcement}
      </p>
    </form>
  )
}

/** What the server will say too. Said before anything is sent, it spares the wait. */
function foreseenRefusal(file: File, maxFileBytes: number): string | null {
  if (file.size === 0) return `${visibleName(file.name)} is empty.`
  if (file.size > maxFileBytes) {
    return `${visibleName(file.name)} is larger than ${formatBytes(maxFileBytes)}.`
  }
  return null
}

/** What became of each file of an upload. */
export function UploadOutcomes({ outcomes }: { outcomes: UploadOutcome[] }) {
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
