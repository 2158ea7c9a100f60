import { useRevalidator } from '@remix-run/react'
import { useCallback, useEffect, useRef, useState } from 'react'

interface LiveOptions {
  /** Something on the page may still change by itself. If not, a look is taken only when the person comes back to it. */
  active: boolean
  everyMs: number
  /**
   * A cheap JSON address that tells whether anything changed. The page's data are fetched anew only when it says so; thus
   * a lost connection can't replace the page by an error.
   */
  probe: string
  /** The probe's entity tag for what the page shows. */
  tag: string
  /** Also while the tab is hidden: somebody wants to be told. */
  whileHidden?: boolean
}

interface Live {
  /** The last look failed; nothing is asked again until `resume`, or until the connection is back. */
  paused: boolean
  resume: () => void
}

/**
 * Keeps a page up to date: looks every `everyMs` while `active`, the tab is visible and the browser online, and at once
 * when one of these comes back or the page is restored from the back/forward cache. It only ever reads.
 */
export function useLiveRevalidation({ active, everyMs, probe, tag, whileHidden = false }: LiveOptions): Live {
  const [paused, setPaused] = useState(false)
  const { revalidate, state } = useRevalidator()
  // Refs, because none of these may restart the clock when a render makes it anew.
  const latest = useRef({ revalidate, state, tag, whileHidden })
  const lookNow = useRef(() => {})
  useEffect(() => {
    latest.current = { revalidate, state, tag, whileHidden }
  })

  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    let timer: ReturnType<typeof setTimeout> | undefined
    let looking = false

    const mayLook = () =>
      navigator.onLine && (document.visibilityState === 'visible' || latest.current.whileHidden)

    const later = () => {
      clearTimeout(timer)
      if (active) timer = setTimeout(() => void look(), everyMs)
    }

    const look = async () => {
      clearTimeout(timer)
      if (looking || !mayLook()) return
      // Asked again, a slow page would begin anew each time and never come.
      if (latest.current.state !== 'idle') return later()
      looking = true
      const answer = await ask(probe, latest.current.tag, signal)
      looking = false
      if (signal.aborted) return
      if (answer === 'unavailable') {
        // Being offline is no failure: coming back goes on by itself.
        if (navigator.onLine) setPaused(true)
        return
      }
      setPaused(false)
      if (answer === 'changed') latest.current.revalidate()
      later()
    }

    const onReturn = () => void look()

    document.addEventListener('visibilitychange', onReturn, { signal })
    window.addEventListener('online', onReturn, { signal })
    window.addEventListener('pageshow', (event) => event.persisted && onReturn(), { signal })
    lookNow.current = onReturn
    later()
    return () => {
      clearTimeout(timer)
      ended.abort()
      setPaused(false)
    }
  }, [active, everyMs, probe])

  const resume = useCallback(() => lookNow.current(), [])
  return { paused, resume }
}

/** Asks the probe once. Refusals count as changes: the page's own loader answers them (to the sign-in page, say). */
async function ask(
  probe: string,
  tag: string,
  signal: AbortSignal,
): Promise<'same' | 'changed' | 'unavailable'> {
  try {
    const { status } = await fetch(probe, { headers: { 'If-None-Match': tag }, signal })
    if (status === 304) return 'same'
    return status === 429 || status >= 500 ? 'unavailable' : 'changed'
  } catch {
    return 'unavailable'
  }
}
