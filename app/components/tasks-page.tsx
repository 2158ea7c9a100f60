import { Link, useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { hasEnded, TASK_STATUSES, type TaskStatus } from '../config/task-statuses'
import { LinkButton } from './button'
import { EmptyState } from './empty-state'
import { FileName } from './file-name'
import { formatProgress } from './format'
import { Sign, StateIcon } from './icons'
import { LiveNotice } from './live-notice'
import { Problem } from './notice'
import { PageHeader } from './page-header'
import { Pager } from './pager'
import { StateBadge } from './state-badge'
import { Time } from './time'
import type { FailureText, TaskRow } from './types'
import { useLiveRevalidation } from './use-live-revalidation'
import { attemptOf, STATES } from './wording'

const LIST_EVERY_MS = 5_000

interface TasksPageProps {
  tasks: TaskRow[]
  /** The status that the list is narrowed to. */
  status: TaskStatus | null
  newer: string | null
  older: string | null
  problem: FailureText | null
}

export function TasksPage({ tasks, status, newer, older, problem }: TasksPageProps) {
  const active = tasks.some((task) => !hasEnded(task.status))
  const live = useLiveRevalidation({
    active,
    everyMs: LIST_EVERY_MS,
    // The very page that is shown: its status and its place in the list stand in the address.
    probe: `/api/tasks${useLocation().search}`,
  })
  return (
    <div className="shell">
      {problem ? <Problem problem={problem} /> : null}
      <PageHeader
        title="Tasks"
        action={
          <LinkButton to="/tasks/new" look="primary">
            <Sign name="plus" />
            New task
          </LinkButton>
        }
      />
      <LiveNotice {...live} />
      <div className="gap-x-12 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
        <StatusFilter status={status} />
        <section aria-label={status ? `Tasks: ${STATES[status].word}` : 'All tasks'}>
          {tasks.length > 0 ? (
            <ul className="rows">
              {tasks.map((task) => (
                <Row key={task.id} task={task} />
              ))}
            </ul>
          ) : (
            <NoTasks status={status} />
          )}
          <Pager newer={newer} older={older} label="Older and newer tasks" />
        </section>
      </div>
    </div>
  )
}

function Row({ task }: { task: TaskRow }) {
  const attempts =
    task.attempts > 1 || task.status === 'retry_wait' ? attemptOf(task.attempts, task.maxAttempts) : null
  const { kind, word } = STATES[task.status]
  return (
    <li>
      <Link
        to={`/tasks/${task.id}`}
        className="-mx-2 flex gap-3 px-2 py-3.5 outline-offset-[-2px] hover:bg-sunk sm:-mx-3 sm:px-3"
      >
        <span data-kind={kind} className="state mt-0.5">
          <StateIcon status={task.status} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap justify-between gap-x-5">
            <span className="min-w-0 font-strong">
              <FileName name={task.inputName} short />
            </span>
            <span data-kind={kind} className="state font-strong">
              {word}
            </span>
          </span>
          <span className="mt-0.5 block text-small text-soft">
            {[task.processorTitle, attempts, task.progress ? formatProgress(task.progress) : null]
              .filter(Boolean)
              .map((part) => `${part} · `)}
            <Time iso={task.finishedAt ?? task.createdAt} />
          </span>
        </span>
      </Link>
    </li>
  )
}

/** A rail beside the list where there is room for it, a disclosure above the list where there is not. */
function StatusFilter({ status }: { status: TaskStatus | null }) {
  return (
    <>
      <nav aria-label="Tasks by status" className="max-lg:hidden">
        <FilterLinks status={status} />
      </nav>
      <details className="mb-4 lg:hidden">
        <summary className="control flex items-center justify-between gap-3">
          <span className="flex items-center gap-2">
            Show: {status ? <StateBadge status={status} /> : <strong>All tasks</strong>}
          </span>
          <Sign name="open" />
        </summary>
        <nav aria-label="Tasks by status" className="border-x border-b border-line px-3 py-1">
          <FilterLinks status={status} />
        </nav>
      </details>
    </>
  )
}

function FilterLinks({ status }: { status: TaskStatus | null }) {
  return (
    <ul className="grid grid-cols-2 gap-x-4 lg:-mt-2.5 lg:grid-cols-1">
      <li>
        <FilterLink to="/tasks" current={status === null}>
          All tasks
        </FilterLink>
      </li>
      {TASK_STATUSES.map((each) => (
        <li key={each}>
          <FilterLink to={`/tasks?status=${each}`} current={status === each}>
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

function FilterLink({ to, current, children }: { to: string; current: boolean; children: ReactNode }) {
  return (
    <Link
      to={to}
      aria-current={current ? 'true' : undefined}
      className={`flex min-h-11 items-center gap-2.5 hover:text-accent ${current ? 'font-strong' : ''}`}
    >
      {children}
    </Link>
  )
}

function NoTasks({ status }: { status: TaskStatus | null }) {
  if (status) {
    return (
      <EmptyState
        title="No task is in this state"
        action={
          <Link to="/tasks" className="link link-alone">
            Show all tasks
          </Link>
        }
      >
        Nothing here is “{STATES[status].word.toLowerCase()}” at the moment.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No tasks yet" action={<LinkButton to="/files">Upload a file</LinkButton>}>
      A task is one piece of work on one file. Upload a file, choose what to do with it, and close the page if
      you like: the result will be here when you come back.
    </EmptyState>
  )
}
