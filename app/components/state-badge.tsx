import { StateIcon } from './icons'
import type { TaskStatus } from '../config/task-statuses'
import { STATES } from './wording'

/** A task's state as icon and word in its colour; neither stands alone. */
export function StateBadge({ status }: { status: TaskStatus }) {
  const { kind, word } = STATES[status]
  return (
    <span data-kind={kind} className="state inline-flex items-center gap-1.5 whitespace-nowrap font-strong">
      <StateIcon status={status} size={18} />
      {word}
    </span>
  )
}
