import { Link } from '@remix-run/react'
import { FileName } from './file-name'
import { formatProgress } from './format'
import { StateBadge } from './state-badge'
import { Time } from './time'
import type { TaskListRow } from './types'
import { visibleName } from './visible-name'
import { attemptOf } from './wording'

/** Rows of two lines, each of them one link, with a box beside it where something can be done with the task. */
export function TaskRows({ tasks }: { tasks: TaskListRow[] }) {
  return (
    <ul className="rows">
      {tasks.map((task) => (
        <Row key={task.id} task={task} />
      ))}
    </ul>
  )
}

function Row({ task }: { task: TaskListRow }) {
  const facts = [
    task.processorTitle,
    attemptOf(task.attempts, task.maxAttempts),
    task.progress ? formatProgress(task.progress) : null,
  ]
  return (
    <li className="flex gap-1">
      <Choice task={task} />
      <Link
        to={`/tasks/${task.id}`}
        className="-me-2 min-w-0 flex-1 px-2 py-3 outline-offset-[-2px] hover:bg-sunk sm:-me-3 sm:pe-3"
      >
        <span className="flex justify-between gap-x-4">
          <span className="min-w-0 truncate font-strong">
            <FileName name={task.inputName} short />
          </span>
          <StateBadge status={task.status} />
        </span>
        <span className="row-facts mt-0.5 flex justify-between gap-x-4 text-small text-soft">
          <span className="min-w-0 truncate">{facts.filter(Boolean).join(' · ')}</span>
          <Time iso={task.finishedAt ?? task.createdAt} />
        </span>
      </Link>
    </li>
  )
}

/** The box, with the failure that a retry would mean; an empty place where the server would accept nothing. */
function Choice({ task: { id, inputName, attempts, finishedAt, can } }: { task: TaskListRow }) {
  if (!can.cancel && !can.retry) return <span className="-ms-3 w-11 flex-none" />
  return (
    <>
      <label className="-ms-3 flex min-h-11 w-11 flex-none items-center justify-center">
        <input
          type="checkbox"
          name="taskId"
          value={id}
          data-can={can.cancel ? 'cancel' : 'retry'}
          className="tick"
        />
        <span className="sr-only">Choose {visibleName(inputName)}</span>
      </label>
      {can.retry ? (
        <>
          <input type="hidden" name={`attempts.${id}`} value={attempts} />
          <input type="hidden" name={`finishedAt.${id}`} value={finishedAt ?? ''} />
        </>
      ) : null}
    </>
  )
}
