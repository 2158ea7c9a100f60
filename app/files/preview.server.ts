import { PREVIEW_BYTES } from '../config/limits'
import type { AppContext } from '../context.server'
import type { DownloadableFile } from './queries.server'
import { withinStorageTime } from './storage-time.server'

/** What stands in a file: text, and between it bytes that are none. */
export type TextPiece = string | Uint8Array

export interface Preview {
  encoding: 'utf-8' | 'utf-16'
  pieces: TextPiece[]
  /** How many bytes of the file `pieces` stand for, its byte order mark included. */
  shownBytes: number
}

/** The first 64 KiB of a file; no more is read. Null: the object isn't there although its row says so. */
export async function readPreview(ctx: AppContext, file: DownloadableFile): Promise<Preview | null> {
  // Object storage knows no part of nothing.
  const range = file.size > 0 ? { range: { offset: 0, length: PREVIEW_BYTES } } : {}
  const object = ctx.storage && (await withinStorageTime(ctx.storage.get(file.objectKey, range)))
  if (object?.size !== file.size) {
    await object?.body.cancel()
    ctx.log('download.object_missing', { fileId: file.id, size: object?.size })
    return null
  }
  const bytes = new Uint8Array(await withinStorageTime(object.arrayBuffer()))
  return decodeStart(bytes, { whole: bytes.length === file.size })
}

/**
 * The bytes that a file begins with, as text. Nothing is repaired or left out: what is no text stays bytes. Only where the
 * file goes on, the last character or line end is left to what follows if it may not be complete yet.
 */
export function decodeStart(bytes: Uint8Array, { whole }: { whole: boolean }): Preview {
  const [first, second, third] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { encoding: 'utf-16', ...decodeUtf16(bytes, { littleEndian: first === 0xff, whole }) }
  }
  const mark = first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  return { encoding: 'utf-8', ...decodeUtf8(bytes, { from: mark, whole }) }
}

type Decoded = Pick<Preview, 'pieces' | 'shownBytes'>

function decodeUtf8(bytes: Uint8Array, { from, whole }: { from: number; whole: boolean }): Decoded {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const isText = (at: number) => characterLength(bytes, at) > 0
  const isOpen = (at: number) => !whole && characterLength(bytes, at) === INCOMPLETE
  let end = bytes.length
  const pieces: TextPiece[] = []
  for (let at = from; at < end;) {
    const start = at
    if (isOpen(at)) {
      end = at
    } else if (isText(at)) {
      while (at < end && isText(at)) at += characterLength(bytes, at)
      if (!whole && at === end && bytes[at - 1] === CR) end = --at
      if (at > start) pieces.push(decoder.decode(bytes.subarray(start, at)))
    } else {
      while (at < end && !isText(at) && !isOpen(at)) at++
      pieces.push(bytes.subarray(start, at))
    }
  }
  return { pieces, shownBytes: end }
}

/** Of a character that is well-formed as far as the bytes go. */
const INCOMPLETE = -1
const CR = 0x0d

/** Bytes of the well-formed UTF-8 character that begins there (Unicode, table 3-7); 0 where none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0xff
  if (lead < 0x80) return 1
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next]
    if (byte === undefined) return INCOMPLETE
    // No longer form than needed, no half of a pair, nothing beyond the last character.
    const lowest = next > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const highest = next > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    if (byte < lowest || byte > highest) return 0
  }
  return length
}

function decodeUtf16(
  bytes: Uint8Array,
  { littleEndian, whole }: { littleEndian: boolean; whole: boolean },
): Decoded {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = bytes.length - (bytes.length % 2)
  if (!whole) {
    const last = view.getUint16(end - 2, littleEndian)
    if (end > 2 && (last === CR || (last >= 0xd800 && last <= 0xdbff))) end -= 2
  }
  let text = ''
  for (let at = 2; at < end; at += 2) text += String.fromCharCode(view.getUint16(at, littleEndian))

  const pieces: TextPiece[] = []
  let at = 2
  // The halves of a pair that stand alone, and the text between them.
  for (const piece of text.split(/(\p{Surrogate})/u)) {
    const half = /^\p{Surrogate}$/u.test(piece)
    if (piece !== '') pieces.push(half ? bytes.subarray(at, at + 2) : piece)
    at += 2 * piece.length
  }
  if (whole && end < bytes.length) pieces.push(bytes.subarray(end))
  return { pieces, shownBytes: whole ? bytes.length : end }
}
