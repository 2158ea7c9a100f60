import { useRevalidator } from '@remix-run/react'
import { useCallback, useEffect, useRef, useState } from 'react'

interface LiveOptions {
  /** Something on the page may still change by itself. */
  active: boolean
  everyMs: number
  /**
   * A cheap JSON address that tells whether anything changed. It is asked first, with the last answer's `ETag`, and the
   * page's data are fetched anew only when its answer differs; so a lost connection can't replace the page by an error.
   */
  probe: string
}

interface Live {
  /** The last look failed; nothing is asked again until `resume`, or until the connection is back. */
  paused: boolean
  resume: () => void
}

/** What the last answer was, to tell whether the next one is another: its tag where the server gives one, else its body. */
interface Mark {
  tag: string | null
  body: string | null
}

type Answer = { is: 'same' } | { is: 'changed'; mark: Mark } | { is: 'unavailable' }

/**
 * Keeps a page up to date: looks every `everyMs` while `active`, the tab is visible and the browser online, and at once
 * when one of these comes back or the page is restored from the back/forward cache. It only ever reads.
 */
export function useLiveRevalidation({ active, everyMs, probe }: LiveOptions): Live {
  const [paused, setPaused] = useState(false)
  const { revalidate } = useRevalidator()
  // Refs, because neither function may restart the clock when a render makes it anew.
  const latestRevalidate = useRef(revalidate)
  const lookNow = useRef(() => {})
  useEffect(() => {
    latestRevalidate.current = revalidate
  })

  useEffect(() => {
    if (!active) return
    const ended = new AbortController()
    const { signal } = ended
    let timer: ReturnType<typeof setTimeout> | undefined
    let looking = false
    let mark: Mark | null = null

    const mayLook = () => document.visibilityState === 'visible' && navigator.onLine

    const look = async () => {
      clearTimeout(timer)
      if (looking || !mayLook()) return
      looking = true
      const answer = await ask(probe, mark, signal)
      looking = false
      if (signal.aborted) return
      if (answer.is === 'unavailable') {
        // Being offline is no failure: coming back goes on by itself.
        if (navigator.onLine) setPaused(true)
        return
      }
      setPaused(false)
      if (answer.is === 'changed') {
        mark = answer.mark
        latestRevalidate.current()
      }
      timer = setTimeout(() => void look(), everyMs)
    }

    const onReturn = () => {
      clearTimeout(timer)
      void look()
    }

    document.addEventListener('visibilitychange', onReturn, { signal })
    window.addEventListener('online', onReturn, { signal })
    window.addEventListener('pageshow', (event) => event.persisted && onReturn(), { signal })
    lookNow.current = onReturn
    timer = setTimeout(() => void look(), everyMs)
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
async function ask(probe: string, mark: Mark | null, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(probe, { headers: mark?.tag ? { 'If-None-Match': mark.tag } : {}, signal })
    if (response.status === 304) return { is: 'same' }
    if (response.status === 429 || response.status >= 500) return { is: 'unavailable' }
    const tag = response.headers.get('ETag')
    const body = await response.text()
    if (tag === null && body === mark?.body) return { is: 'same' }
    return { is: 'changed', mark: { tag, body } }
  } catch {
    return { is: 'unavailable' }
  }
}
