import { INFLIGHT_BODY_BYTES } from '../config/limits'

/** A holder that has shown no progress for this long was ended by the platform, which runs no `finally`. */
const LOST_AFTER_MS = 5 * 60_000

/** Body bytes that this isolate may come to hold, by request. An isolate has 128 MB for everything it does at once. */
const holders = new Map<symbol, { bytes: number; seenAt: number }>()

export interface BodyRoom {
  /** Says that the body is still being worked on. */
  touch(): void
  /** Gives the room back. A repeat does nothing. */
  release(): void
}

/** Room for this many bytes of a body, taken before the first is read. Null: other bodies have taken it all, try later. */
export function takeBodyRoom(bytes: number): BodyRoom | null {
  const now = Date.now()
  let taken = 0
  for (const [id, holder] of holders) {
    if (now - holder.seenAt > LOST_AFTER_MS) holders.delete(id)
    else taken += holder.bytes
  }
  if (taken + bytes > INFLIGHT_BODY_BYTES) return null
  const id = Symbol('body')
  holders.set(id, { bytes, seenAt: now })
  return {
    touch: () => {
      if (holders.has(id)) holders.set(id, { bytes, seenAt: Date.now() })
    },
    release: () => void holders.delete(id),
  }
}
