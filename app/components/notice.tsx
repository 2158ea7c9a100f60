import { useEffect, useRef, type ReactNode } from 'react'
import { Sign } from './icons'
import type { FailureText } from './types'

/**
 * Gets the focus when it appears and whenever `about` is another object: the answer to what the person just did comes
 * first. Without JavaScript `autofocus` does the same as the page loads.
 */
function useFocusOn(about: unknown) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [about])
  return place
}

interface NoticeProps {
  /** The answer that this notice shows. */
  about: unknown
  title: string
  children?: ReactNode
}

/** Something went wrong or needs attention: announced, focused, marked by more than colour. */
export function Notice({ about, title, children }: NoticeProps) {
  return (
    <div
      ref={useFocusOn(about)}
      role="alert"
      tabIndex={-1}
      autoFocus
      data-kind="failed"
      className="mb-8 border-y-2 border-failed py-4 outline-none"
    >
      <div className="flex gap-3">
        <span className="state mt-0.5">
          <Sign name="alert" />
        </span>
        <div className="min-w-0 flex-1">
          <p className="font-strong">{title}</p>
          {children ? <div className="mt-1">{children}</div> : null}
        </div>
      </div>
    </div>
  )
}

/** What happened and what to do next, as `FAILURES` words it. */
export function Problem({ problem, children }: { problem: FailureText; children?: ReactNode }) {
  return (
    <Notice about={problem} title={problem.message}>
      <p>{problem.next}</p>
      {children}
    </Notice>
  )
}
