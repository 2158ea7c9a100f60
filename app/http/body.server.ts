import { BODY_MAX_MS, BODY_PACE_BYTES, BODY_PACE_MS } from '../config/limits'

/** What is read of a body is handed on in pieces of this size, whatever the sender's pieces are. */
const BLOCK_BYTES = 64 * 1024

/** How much of a body that nobody wants is read and dropped, and for how long. */
export interface DiscardLimits {
  bytes: number
  ms: number
}

/** Of anybody's. Forms and what has arrived with the request's head are within it; a stranger makes us read no more. */
export const DISCARD_OF_ANYBODY: DiscardLimits = { bytes: 1024 * 1024, ms: 2_000 }

/** Of somebody who is signed in and has sent a file too large: the answer should arrive, not a broken connection. */
export const DISCARD_OF_UPLOADS: DiscardLimits = { bytes: 64 * 1024 * 1024, ms: 30_000 }

/** The body isn't what it should be, or its sender has gone or is too slow. */
export class BrokenBody extends Error {}

/** It is larger than what is read of any. */
export class BodyTooLarge extends BrokenBody {}

export interface IncomingBody {
  /** Its length as announced by `Content-Length`; null when it wasn't. */
  announced: number | null
  /**
   * Its bytes, 64 KiB at a time. Throws `BodyTooLarge` beyond `maxBytes`, and `BrokenBody` when there are more or fewer
   * than announced, when a minute of waiting brings too few of them, and after an hour of waiting.
   */
  blocks(maxBytes: number, onProgress?: () => void): AsyncGenerator<Uint8Array>
  /**
   * Reads what is left and drops it, so that the sender, who may look for an answer only after the last byte, gets one and
   * can use the connection again. Beyond the limits the connection is given up. Never throws.
   */
  discard(limits: DiscardLimits): Promise<void>
}

/** A request's body, to be read once. */
export function openBody(request: Request): IncomingBody {
  const reader = request.body?.getReader()
  const announced = announcedLength(request)

  async function read(withinMs: number): Promise<Uint8Array | null> {
    if (!reader) return null
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BrokenBody('too slow')), Math.max(withinMs, 0))
    })
    try {
      const { done, value } = await Promise.race([reader.read(), late])
      return done ? null : value
    } catch (error) {
      // What the runtime throws here differs; that the sender has gone is all there is to know.
      throw error instanceof BrokenBody ? error : new BrokenBody('the sender has gone')
    } finally {
      clearTimeout(timer)
    }
  }

  async function* blocks(maxBytes: number, onProgress?: () => void): AsyncGenerator<Uint8Array> {
    const blockBytes = Math.min(BLOCK_BYTES, announced ?? BLOCK_BYTES)
    const patience = new Patience()
    let total = 0
    // Gathered: a sender of single bytes would otherwise cost a hundred times what it sends.
    let block = new Uint8Array(blockBytes)
    let filled = 0
    for (;;) {
      const askedAt = Date.now()
      const piece = await read(patience.leftMs)
      if (!piece) break
      patience.use(Date.now() - askedAt, piece.length)
      onProgress?.()
      total += piece.length
      if (total > maxBytes) throw new BodyTooLarge('larger than any that is taken')
      if (total > (announced ?? Infinity)) throw new BrokenBody('longer than announced')
      for (let at = 0; at < piece.length;) {
        const taken = piece.subarray(at, at + blockBytes - filled)
        block.set(taken, filled)
        at += taken.length
        filled += taken.length
        if (filled < blockBytes) continue
        yield block
        block = new Uint8Array(blockBytes)
        filled = 0
      }
    }
    if (announced !== null && total < announced) throw new BrokenBody('shorter than announced')
    if (filled > 0) yield block.subarray(0, filled)
  }

  async function discard({ bytes, ms }: DiscardLimits): Promise<void> {
    const until = Date.now() + ms
    try {
      for (let dropped = 0; dropped < bytes && (announced ?? 0) <= bytes;) {
        const piece = await read(until - Date.now())
        if (!piece) return
        dropped += piece.length
      }
    } catch {
      // Too slow, or nobody is left to be answered.
    }
    await reader?.cancel().catch(() => {})
  }

  return { announced, blocks, discard }
}

/** Drops a body that nobody has begun to read, within the bounds for anybody's. Nothing to do for one that was read. */
export async function discardUnread(request: Request): Promise<void> {
  if (request.body && !request.bodyUsed) await openBody(request).discard(DISCARD_OF_ANYBODY)
}

/**
 * How long a sender is waited for. Only waiting counts, not what we do with the bytes between. A minute without enough of
 * them ends it, whether the sender is silent or sends a byte now and then.
 */
class Patience {
  #minuteMs = BODY_PACE_MS
  #wholeMs = BODY_MAX_MS
  #bytes = 0

  get leftMs(): number {
    return Math.min(this.#minuteMs, this.#wholeMs)
  }

  use(waitedMs: number, bytes: number): void {
    this.#minuteMs -= waitedMs
    this.#wholeMs -= waitedMs
    this.#bytes += bytes
    if (this.#bytes < BODY_PACE_BYTES) return
    this.#minuteMs = BODY_PACE_MS
    this.#bytes = 0
  }
}

/**
 * A request's body in memory, of at most `maxBytes`: judged by `Content-Length` first and again while reading, because
 * what is announced may be a lie or missing. Null: it is too large, not what was announced, or came too slowly.
 */
export async function readBounded(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body = openBody(request)
  const pieces: Uint8Array[] = []
  try {
    if ((body.announced ?? 0) > maxBytes) return null
    for await (const block of body.blocks(maxBytes)) pieces.push(block)
    return inOnePiece(pieces)
  } catch (error) {
    if (error instanceof BrokenBody) return null
    throw error
  } finally {
    await body.discard(DISCARD_OF_ANYBODY)
  }
}

/** The same bytes behind one another, in a piece of their own. */
export function inOnePiece(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function announcedLength(request: Request): number | null {
  const header = request.headers.get('Content-Length')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null
}
