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

interface ErrorSummaryProps {
  errors: Record<string, string[]>
  /** Field names to the ids of their controls. Errors of other fields are shown without a link. */
  fields: Record<string, string>
}

/** Leads from the top of a refused form to each field that has to change. Nothing when there is no error. */
export function ErrorSummary({ errors, fields }: ErrorSummaryProps) {
  const wrong = Object.entries(errors).filter(([, messages]) => messages.length > 0)
  if (wrong.length === 0) return null
  const general = wrong.filter(([name]) => name === '').flatMap(([, messages]) => messages)
  const named = wrong.filter(([name]) => name !== '')
  return (
    <Notice about={errors} title={general[0] ?? 'Something here needs another look.'}>
      {general.slice(1).map((message) => (
        <p key={message}>{message}</p>
      ))}
      {named.length > 0 ? (
        <ul>
          {named.map(([name, messages]) => (
            <li key={name}>
              {fields[name] ? (
                <a href={`#${fields[name]}`} className="link link-alone">
                  {messages.join(' ')}
                </a>
              ) : (
                messages.join(' ')
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </Notice>
  )
}

/** Something to know, nothing to mend. */
export function Remark({ children }: { children: ReactNode }) {
  return (
    <div className="mb-8 flex gap-3 border-y border-line py-4">
      <span className="mt-0.5 text-accent">
        <Sign name="info" />
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
