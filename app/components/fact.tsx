import type { ReactNode } from 'react'

/** One line of a list of facts (`dl`). */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="gap-x-6 border-t border-line py-2.5 last:border-b sm:grid sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="text-soft">{term}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}
