import {
  getMultipartBoundary,
  MaxFileSizeExceededError,
  MultipartParseError,
  parseMultipartStream,
} from '@remix-run/multipart-parser'
import { FORM_OVERHEAD_BYTES, INFLIGHT_BODY_BYTES } from '../config/limits'

/** Files in one form. */
const MAX_FILES = 20

/** Bytes of a refused body that are read and dropped, so that the person gets the answer and not a broken connection. */
const DRAIN_BYTES = 64 * 1024 * 1024

/** What a form with files comes with, in its own order. */
export type UploadPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; fileName: string; bytes: Uint8Array }

export type UploadFormProblem = 'INVALID_INPUT' | 'FILE_TOO_LARGE' | 'BUSY'

/** Body bytes that this isolate holds or may come to hold, over all requests. */
let inFlight = 0

/**
 * Reads a form with files, one part after the other, and hands each to `take` before it reads on: at most one file of
 * `maxFileBytes` is held. What is too large is refused by its announced length before anything is read, and again while
 * reading; the parts taken before stay taken. Answers null when the form ended well.
 */
export async function readUploadForm(
  request: Request,
  maxFileBytes: number,
  take: (part: UploadPart) => Promise<void>,
): Promise<UploadFormProblem | null> {
  const boundary = getMultipartBoundary(request.headers.get('Content-Type') ?? '')
  if (!boundary || !request.body) {
    await drain(request.body)
    return 'INVALID_INPUT'
  }
  const maxBytes = MAX_FILES * maxFileBytes + FORM_OVERHEAD_BYTES
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) {
    await drain(request.body)
    return 'FILE_TOO_LARGE'
  }
  const held = maxFileBytes + FORM_OVERHEAD_BYTES
  if (inFlight + held > INFLIGHT_BODY_BYTES) {
    await drain(request.body)
    return 'BUSY'
  }
  inFlight += held
  try {
    return await readParts(
      request.body,
      { boundary, maxFileSize: maxFileBytes, maxTotalSize: maxBytes },
      take,
    )
  } finally {
    inFlight -= held
  }
}

async function readParts(
  body: ReadableStream<Uint8Array>,
  limits: { boundary: string; maxFileSize: number; maxTotalSize: number },
  take: (part: UploadPart) => Promise<void>,
): Promise<UploadFormProblem | null> {
  // A branch of our own, so that what the parser leaves unread can be drained.
  const reader = body.getReader()
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  try {
    const parts = parseMultipartStream(source, {
      ...limits,
      maxHeaderSize: 8 * 1024,
      maxParts: MAX_FILES + 20,
    })
    for await (const part of parts) {
      if (!part.name) return 'INVALID_INPUT'
      // A file input without a choice sends an empty file without a name.
      if (part.isFile && part.filename === '' && part.size === 0) continue
      await take(
        part.isFile
          ? { kind: 'file', name: part.name, fileName: part.filename ?? '', bytes: part.bytes }
          : { kind: 'field', name: part.name, value: part.text },
      )
    }
    return null
  } catch (error) {
    if (error instanceof MaxFileSizeExceededError) return 'FILE_TOO_LARGE'
    if (error instanceof MultipartParseError || error instanceof TypeError) return 'INVALID_INPUT'
    throw error
  } finally {
    reader.releaseLock()
    await drain(body)
  }
}

/** Reads what is left of a body and drops it, up to a bound; beyond it the connection is given up. */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  if (!body || body.locked) return
  const reader = body.getReader()
  try {
    for (let dropped = 0; dropped < DRAIN_BYTES;) {
      const { done, value } = await reader.read()
      if (done) return
      dropped += value.length
    }
    await reader.cancel()
  } catch {
    // The sender has gone: there is nobody left to answer.
  }
}
