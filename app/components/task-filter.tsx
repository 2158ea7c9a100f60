import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'
import { COUNTED_MAX } from '../config/limits'
import { TASK_STATUSES, type TaskStatus } from '../config/task-statuses'
import { formatNumber } from './format'
import { Sign, StateIcon } from './icons'
import { StateBadge } from './state-badge'
import { STATES } from './wording'

/** Tasks by status; more than `COUNTED_MAX` stands for "more". */
export type StatusCounts = Partial<Record<TaskStatus, number>>

interface TaskFilterProps {
  status: TaskStatus | null
  counts: StatusCounts
}

/** A rail beside the list where there is room for it, a disclosure above the list where there is not. */
export function TaskFilter(props: TaskFilterProps) {
  const { status } = props
  return (
    <>
      <nav aria-label="Tasks by status" className="max-lg:hidden">
        <FilterLinks {...props} />
      </nav>
      {/* Another filter is another page: it starts folded. */}
      <details key={status} className="mb-4 lg:hidden">
        <summary className="control flex items-center justify-between gap-3">
          <span className="flex items-center gap-2">
            Show: {status ? <StateBadge status={status} /> : <strong>All tasks</strong>}
          </span>
          <Sign name="open" />
        </summary>
        <nav aria-label="Tasks by status" className="border-x border-b border-line px-3 py-1">
          <FilterLinks {...props} />
        </nav>
      </details>
    </>
  )
}

function FilterLinks({ status, counts }: TaskFilterProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <ul className="grid grid-cols-1 gap-x-4 min-[26rem]:max-lg:grid-cols-2 lg:-mt-2.5">
      <li>
        <FilterLink to="/tasks" current={status === null} count={all}>
          All tasks
        </FilterLink>
      </li>
      {TASK_STATUSES.map((each) => (
        <li key={each}>
          <FilterLink to={`/tasks?status=${each}`} current={status === each} count={counts[each] ?? 0}>
            <span data-kind={STATES[each].kind} className="state">
              <StateIcon status={each} size={18} />
            </span>
            {STATES[each].word}
          </FilterLink>
        </li>
      ))}
    </ul>
  )
}

interface FilterLinkProps {
  to: string
  current: boolean
  count: number
  children: ReactNode
}

function FilterLink({ to, current, count, children }: FilterLinkProps) {
  return (
    <Link
      to={to}
      aria-current={current ? 'true' : undefined}
      className={`flex min-h-11 items-center gap-2.5 hover:text-accent ${current ? 'font-strong' : ''}`}
    >
      {children}
      <span className="ms-auto text-small text-soft">
        {count > COUNTED_MAX ? `${formatNumber(COUNTED_MAX)}+` : count}
      </span>
    </Link>
  )
}
