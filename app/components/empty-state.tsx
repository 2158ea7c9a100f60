import type { ReactNode } from 'react'

/** An empty list says what it is for and leads to the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div data-kind="waiting">
      <div className="channel" data-flow="dotted" />
      <div className="max-w-[34rem] pt-6">
        <h2 className="text-large">{title}</h2>
        <p className="mt-2 text-soft">{children}</p>
        {action ? <div className="mt-5">{action}</div> : null}
      </div>
    </div>
  )
}
