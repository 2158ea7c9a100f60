import { INFLIGHT_BODY_BYTES, INFLIGHT_BODY_BYTES_EACH } from '../config/limits'

/** A holder that has shown no progress for this long was ended by the platform, which runs no `finally`. */
const LOST_AFTER_MS = 5 * 60_000

/** Body bytes that this isolate may come to hold, by request. An isolate has 128 MB for everything it does at once. */
const holders = new Map<symbol, { owner: string; bytes: number; seenAt: number }>()

export interface BodyRoom {
  /** Says that the body is still being worked on. */
  touch(): void
  /** Gives the room back. A repeat does nothing. */
  release(): void
}

/**
 * Room for this many bytes of an account's body, taken before the first is read: so whoever gets room can send all of it,
 * and nobody is sent away with a body almost sent. Null: all room is taken, or this account has its share; try later.
 */
export function takeBodyRoom(owner: string, bytes: number): BodyRoom | null {
  const now = Date.now()
  let taken = bytes
  let own = bytes
  for (const [id, holder] of holders) {
    if (now - holder.seenAt > LOST_AFTER_MS) holders.delete(id)
    else {
      taken += holder.bytes
      if (holder.owner === owner) own += holder.bytes
    }
  }
  if (taken > INFLIGHT_BODY_BYTES || own > INFLIGHT_BODY_BYTES_EACH) return null
  const id = Symbol('body')
  holders.set(id, { owner, bytes, seenAt: now })
  return {
    touch: () => {
      if (holders.has(id)) holders.set(id, { owner, bytes, seenAt: Date.now() })
    },
    release: () => void holders.delete(id),
  }
}
