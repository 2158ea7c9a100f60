/** What is read of a body is handed on in pieces of this size, whatever the sender's pieces are. */
const BLOCK_BYTES = 64 * 1024

/** A sender that stays silent for this long has gone. */
const SILENCE_MS = 60_000

/**
 * A refused body is read on and dropped, so that the person gets the answer instead of a broken connection: this much
 * of it, for this long.
 */
const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 30_000

/** The body isn't what it should be, or its sender has gone. */
export class BrokenBody extends Error {}

/** It is larger than what is read of any. */
export class BodyTooLarge extends BrokenBody {}

export interface IncomingBody {
  /** Its length as announced by `Content-Length`; null when it wasn't. */
  announced: number | null
  /**
   * Its bytes, 64 KiB at a time. Throws `BodyTooLarge` beyond `maxBytes`, and `BrokenBody` when there are more or fewer
   * than announced.
   */
  blocks(maxBytes: number, onProgress?: () => void): AsyncGenerator<Uint8Array>
  /** Reads what is left and drops it, within bounds; beyond them the connection is given up. Never throws. */
  discard(): Promise<void>
}

/** A request's body, to be read once. */
export function openBody(request: Request): IncomingBody {
  const reader = request.body?.getReader()
  const announced = announcedLength(request)

  async function read(): Promise<Uint8Array | null> {
    if (!reader) return null
    let timer: ReturnType<typeof setTimeout> | undefined
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BrokenBody('the sender is silent')), SILENCE_MS)
    })
    try {
      const { done, value } = await Promise.race([reader.read(), silence])
      return done ? null : value
    } catch (error) {
      // What the runtime throws here differs; that the sender has gone is all there is to know.
      throw error instanceof BrokenBody ? error : new BrokenBody('the sender has gone')
    } finally {
      clearTimeout(timer)
    }
  }

  async function* blocks(maxBytes: number, onProgress?: () => void): AsyncGenerator<Uint8Array> {
    let total = 0
    // Gathered: a sender of single bytes would otherwise cost a hundred times what it sends.
    let block = new Uint8Array(BLOCK_BYTES)
    let filled = 0
    for (let piece = await read(); piece; piece = await read()) {
      onProgress?.()
      total += piece.length
      if (total > maxBytes) throw new BodyTooLarge('larger than any that is taken')
      if (total > (announced ?? Infinity)) throw new BrokenBody('longer than announced')
      for (let at = 0; at < piece.length;) {
        const taken = piece.subarray(at, at + BLOCK_BYTES - filled)
        block.set(taken, filled)
        at += taken.length
        filled += taken.length
        if (filled < BLOCK_BYTES) continue
        yield block
        block = new Uint8Array(BLOCK_BYTES)
        filled = 0
      }
    }
    if (announced !== null && total < announced) throw new BrokenBody('shorter than announced')
    if (filled > 0) yield block.subarray(0, filled)
  }

  async function discard(): Promise<void> {
    const until = Date.now() + DISCARD_MS
    try {
      for (let dropped = 0; dropped < DISCARD_BYTES && Date.now() < until;) {
        const piece = await read()
        if (!piece) return
        dropped += piece.length
      }
    } catch {
      // Nobody is left to be answered.
    }
    await reader?.cancel().catch(() => {})
  }

  return { announced, blocks, discard }
}

function announcedLength(request: Request): number | null {
  const header = request.headers.get('Content-Length')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null
}
