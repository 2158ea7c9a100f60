import type { ReactNode } from 'react'
import { formatProgress } from './format'
import { StateIcon } from './icons'
import { Time } from './time'
import type { TaskView } from './types'
import { stageLabel, stateMeaning, STATES } from './wording'

/** What is the case, first of all: the channel in the state's colour, its icon and word, and what that means now. */
export function TaskStatusBlock({ task, children }: { task: TaskView; children: ReactNode }) {
  const { kind, word, flow } = STATES[task.status]
  return (
    <section aria-labelledby="status-title" data-kind={kind}>
      {task.progress && task.status === 'running' ? (
        <progress
          className="gauge"
          value={task.progress.done}
          max={task.progress.total}
          aria-label={task.stage ? stageLabel(task.stage) : 'Progress'}
        />
      ) : (
        <div className="channel" data-flow={flow} />
      )}
      <div className="pt-4">
        <h2 id="status-title" className="state flex items-center gap-3 text-title">
          <StateIcon status={task.status} size={28} />
          {word}
        </h2>
        <p className="mt-1 max-w-[38rem]">{stateMeaning(task)}</p>
        {task.progress && task.status === 'running' ? (
          <p className="mt-1 text-soft">
            {task.stage ? `${stageLabel(task.stage)}: ` : ''}
            {formatProgress(task.progress)}
          </p>
        ) : null}
        {task.status === 'retry_wait' && task.retryAt ? (
          <p className="mt-1 text-soft">
            Next attempt: <Time iso={task.retryAt} exact />
          </p>
        ) : null}
        {task.failure && task.status !== 'succeeded' && task.status !== 'canceled' ? (
          <div className="mt-4 max-w-[38rem]">
            <p className="font-strong">{task.failure.message}</p>
            {task.status === 'failed' ? <p>{task.failure.next}</p> : null}
          </div>
        ) : null}
        {children}
      </div>
    </section>
  )
}
