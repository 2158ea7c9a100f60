import type { FailureText, UploadOutcome } from './types'

/** What only the browser knows: the files were sent and nobody answered. */
export const UPLOAD_LOST: FailureText = {
  code: 'ANSWER_LOST',
  message: 'No answer came: the connection may be lost. Your choice is kept.',
  next: 'Upload again once you are connected. A file that had arrived is not stored twice.',
}

export type UploadAnswer =
  | { is: 'answered'; outcomes: UploadOutcome[]; problem: FailureText | null }
  /** Nothing or nonsense came back: what arrived is unknown. */
  | { is: 'lost' }
  | { is: 'canceled' }
  | { is: 'signed-out' }

interface SendOptions {
  signal: AbortSignal
  /** Bytes that have left the browser, of all that the form takes on its way. */
  onProgress: (sent: number, total: number) => void
}

/**
 * Sends the form of files once and answers what became of it; never throws and never sends again by itself. By
 * XMLHttpRequest, because `fetch` doesn't tell how much has been sent.
 */
export function sendUpload(form: FormData, { signal, onProgress }: SendOptions): Promise<UploadAnswer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onload = () => resolve(answerOf(request.status, request.response))
    request.onerror = () => resolve({ is: 'lost' })
    request.onabort = () => resolve({ is: 'canceled' })
    signal.addEventListener('abort', () => request.abort())
    request.open('POST', '/api/files')
    request.send(form)
  })
}

interface Body {
  outcomes?: UploadOutcome[]
  error?: { code: string; message: string; next?: string }
}

function answerOf(status: number, body: Body | null): UploadAnswer {
  if (status === 401) return { is: 'signed-out' }
  if (!body || !(body.outcomes ?? body.error)) return { is: 'lost' }
  const { outcomes = [], error } = body
  const problem = error ? { ...error, next: error.next ?? 'Nothing was stored. Your choice is kept.' } : null
  return { is: 'answered', outcomes, problem }
}
