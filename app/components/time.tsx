import { useSyncExternalStore } from 'react'
import { formatLocal, formatRelative, formatUtc } from './format'

const TICK_MS = 15_000

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, TICK_MS)
  return () => clearInterval(timer)
}

// Rounded, because a snapshot that differs at every look would never settle; up, so that what has happened is past.
const browserNow = () => Math.ceil(Date.now() / 5000) * 5000
const serverNow = () => null

/** Milliseconds, moving on every 15 s. Null on the server and in the first render that takes its markup over. */
function useNow(): number | null {
  return useSyncExternalStore<number | null>(subscribe, browserNow, serverNow)
}

/**
 * A moment. The markup says it absolutely, in UTC; with JavaScript it becomes relative (`3 min ago`), or with `exact`
 * the time in the person's own zone with the relative one behind it. It keeps the room of the UTC text, so that nothing
 * around it moves; that looks right at the end of a line. An `exact` one may get longer: give it a line of its own.
 */
export function Time({ iso, exact = false }: { iso: string; exact?: boolean }) {
  const now = useNow()
  const utc = formatUtc(iso)
  if (now === null) {
    return (
      <time dateTime={iso} className="moment">
        <span>{utc}</span>
      </time>
    )
  }
  const local = formatLocal(iso, now)
  const relative = formatRelative(iso, now)
  return (
    <time dateTime={iso} title={local} className="moment" data-room={utc}>
      <span>{relative === null ? local : exact ? `${local} (${relative})` : relative}</span>
    </time>
  )
}
