import { Form, useNavigation } from '@remix-run/react'
import { SubmitButton } from './button'
import { FileInput } from './field'
import { FileName } from './file-name'
import { counted, formatBytes } from './format'
import { Notice } from './notice'
import type { FailureText, UploadOutcome } from './types'

interface UploadFormProps {
  /** MIME types and extensions, as the input's `accept` takes them. */
  accepts: string[]
  maxFileBytes: number
  /** Makes a repeated upload the same upload. */
  uploadKey: string
  /** Why the upload that this page answers was refused, the first reason first. */
  refused: FailureText[]
}

export function UploadForm({ accepts, maxFileBytes, uploadKey, refused }: UploadFormProps) {
  const navigation = useNavigation()
  const busy = navigation.state !== 'idle' && navigation.formAction === '/files'
  const endings = accepts.filter((accept) => accept.startsWith('.'))
  return (
    // A new key is a new form: what was chosen for the upload before is gone with it.
    <Form key={uploadKey} method="post" action="/files" encType="multipart/form-data">
      <input type="hidden" name="requestKey" value={uploadKey} />
      <FileInput
        id="upload"
        name="file"
        label="Add files"
        help={`Up to ${formatBytes(maxFileBytes)} each: ${(endings.length > 0 ? endings : accepts).join(', ')}.`}
        errors={refused.slice(0, 1).map(({ message }) => message)}
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
