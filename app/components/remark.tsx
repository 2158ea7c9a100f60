import type { ReactNode } from 'react'
import { Sign } from './icons'

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
