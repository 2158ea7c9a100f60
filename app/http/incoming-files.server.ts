import { FORM_OVERHEAD_BYTES } from '../config/limits'
import { BodyTooLarge, BrokenBody, DISCARD_OF_UPLOADS, inOnePiece, openBody } from './body.server'
import { takeBodyRoom } from './body-room.server'
import { multipartBoundary, readMultipart } from './multipart.server'

/** Files and fields in one form. */
const MAX_PARTS = 200

/** One form may carry this many times the largest file. */
const MAX_FORM_FILES = 20

/** A field beside the files: a key. */
const MAX_FIELD_BYTES = 4 * 1024

export interface IncomingFile {
  /** As it was sent. */
  fileName: string
  /** Its place among the form's files. */
  index: number
  /** Null: larger than allowed, and dropped while it was read. */
  bytes: Uint8Array | null
}

export type FormProblem = 'INVALID_INPUT' | 'FORM_INCOMPLETE' | 'FILE_TOO_LARGE' | 'BUSY'

interface Reading {
  /** Whose room for bodies it takes. */
  owner: string
  /** Name of the form's field that carries the files. */
  field: string
  /** Name of the field that says which request this is; it may be missing. */
  keyField: string
  maxFileBytes: number
  /** Called for each file, one after the other. */
  take: (file: IncomingFile, key: string | undefined) => Promise<void>
}

/**
 * Reads a form with files and hands each to `take`; null when all is well. Holds the bytes of one file of `maxFileBytes` at
 * most. Smaller files wait together in that room, as long as it lasts, for the form's end: so a form that turns out broken
 * leaves none of them behind, and a key that follows them is known. What is too large is not held: it is refused by the
 * announced length before anything is read, and again while reading; a single file is passed over and the others are taken.
 *
 * A problem: the form is refused, and only what `take` has had before counts. `FORM_INCOMPLETE`: `take` has had some, and
 * then the form broke, or its key came too late for them. `BUSY`: this isolate holds all the bodies that it may, or all that
 * it may of this account.
 */
export async function readIncomingFiles(request: Request, reading: Reading): Promise<FormProblem | null> {
  const body = openBody(request)
  const boundary = multipartBoundary(request.headers.get('Content-Type'))
  const maxBytes = MAX_FORM_FILES * reading.maxFileBytes + FORM_OVERHEAD_BYTES
  const announced = body.announced ?? maxBytes

  const room =
    boundary !== null && announced <= maxBytes
      ? takeBodyRoom(reading.owner, Math.min(announced, reading.maxFileBytes + FORM_OVERHEAD_BYTES))
      : null
  let taken = 0
  try {
    if (boundary === null) return 'INVALID_INPUT'
    if (announced > maxBytes) return 'FILE_TOO_LARGE'
    if (room === null) return 'BUSY'
    const events = readMultipart(body.blocks(maxBytes, room.touch), boundary, MAX_PARTS)
    await collect(events, {
      ...reading,
      take: async (file, key) => {
        taken += 1
        await reading.take(file, key)
        room.touch()
      },
    })
    return null
  } catch (error) {
    if (error instanceof BodyTooLarge) return 'FILE_TOO_LARGE'
    if (error instanceof BrokenBody) return taken === 0 ? 'INVALID_INPUT' : 'FORM_INCOMPLETE'
    throw error
  } finally {
    room?.release()
    await body.discard(DISCARD_OF_UPLOADS)
  }
}

interface OpenPart {
  name: string
  fileName: string | null
  size: number
  /** What is held of it. */
  pieces: Uint8Array[]
}

async function collect(
  events: ReturnType<typeof readMultipart>,
  { field, keyField, maxFileBytes, take }: Reading,
): Promise<void> {
  let key: string | undefined
  let handedOver = false
  const waiting: IncomingFile[] = []
  let waitingBytes = 0
  let count = 0
  let part: OpenPart = { name: '', fileName: null, size: 0, pieces: [] }

  async function handOver() {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      handedOver = true
      await take(file, key)
    }
    waitingBytes = 0
  }

  for await (const event of events) {
    if (event.kind === 'part') {
      part = { ...event, size: 0, pieces: [] }
      continue
    }
    const isFile = part.fileName !== null
    if (event.kind === 'data') {
      part.size += event.bytes.length
      if (!isFile && part.size > MAX_FIELD_BYTES) throw new BrokenBody('too long a field')
      if (isFile && part.size > maxFileBytes) part.pieces = []
      else if (!isFile || part.name === field) part.pieces.push(event.bytes)
      if (waitingBytes + heldBytes(part) > maxFileBytes) await handOver()
      continue
    }
    if (!isFile) {
      if (part.name !== keyField) continue
      // Files that are stored without it would be stored again when the form is repeated.
      if (handedOver) throw new BrokenBody('a key behind files that were taken without it')
      key = new TextDecoder().decode(whole(part))
      continue
    }
    // A file input without a choice sends an empty file without a name.
    if (part.name !== field || (part.fileName === '' && part.size === 0)) continue
    const bytes = part.size > maxFileBytes ? null : whole(part)
    waiting.push({ fileName: part.fileName ?? '', index: count++, bytes })
    waitingBytes += bytes?.length ?? 0
  }
  await handOver()
}

const heldBytes = ({ size, pieces }: OpenPart) => (pieces.length > 0 ? size : 0)

/** In one piece of its own. The pieces go: they stand in larger blocks. */
const whole = (part: OpenPart) => inOnePiece(part.pieces.splice(0))
