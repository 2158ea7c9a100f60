import type { ReactNode } from 'react'

interface PageHeaderProps {
  title: ReactNode
  /** One line beneath the title. */
  lead?: ReactNode
  /** The page's one primary action, where it is a link. */
  action?: ReactNode
}

export function PageHeader({ title, lead, action }: PageHeaderProps) {
  return (
    <header className="mb-8 flex flex-wrap items-center justify-between gap-x-8 gap-y-4">
      <div className="min-w-0 max-w-[44rem]">
        <h1 className="text-title sm:text-display">{title}</h1>
        {lead ? <p className="mt-1 text-soft">{lead}</p> : null}
      </div>
      {action}
    </header>
  )
}

export function SectionTitle({ children, id }: { children: ReactNode; id?: string }) {
  return (
    <h2 id={id} className="mb-3 text-large">
      {children}
    </h2>
  )
}
