import { Link } from '@remix-run/react'
import { hasEnded, type TaskStatus } from '../config/task-statuses'
import { BulkReportNotice } from './bulk-report'
import { LinkButton } from './button'
import { EmptyState } from './empty-state'
import { Sign } from './icons'
import { LiveNotice } from './live-notice'
import { PageHeader, SectionTitle } from './page-header'
import { Pager } from './pager'
import { TaskFilter, type StatusCounts } from './task-filter'
import { TaskSelection } from './task-selection'
import { TaskRows } from './task-rows'
import type { BulkReport, TaskListRow } from './types'
import { useLiveRevalidation } from './use-live-revalidation'
import { useSteadyRows } from './use-steady-rows'
import { STATES } from './wording'

const LIST_EVERY_MS = 5_000

interface TasksPageProps {
  tasks: TaskListRow[]
  /** What the person can do something about; on the newest page of all tasks only. */
  attention: TaskListRow[]
  counts: StatusCounts
  /** The status that the list is narrowed to. */
  status: TaskStatus | null
  newer: string | null
  older: string | null
  bulk: BulkReport | null
  probe: string
  tag: string
}

export function TasksPage(props: TasksPageProps) {
  const { tasks, attention, counts, status, newer, older, bulk, probe, tag } = props
  const active = [...tasks, ...attention].some((task) => !hasEnded(task.status))
  const live = useLiveRevalidation({ active, everyMs: LIST_EVERY_MS, probe, tag })
  const { list, above, waiting, showNew, news } = useSteadyRows({ list: tasks, above: attention })
  return (
    <div className="shell">
      {bulk ? <BulkReportNotice report={bulk} /> : null}
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
        <TaskFilter status={status} counts={counts} />
        <div className="min-w-0">
          <div role="status" className="news">
            {waiting > 0 ? (
              <button type="button" className="button button-primary" onClick={showNew}>
                Show {waiting} new
              </button>
            ) : null}
          </div>
          <TaskSelection>
            {above.length > 0 ? (
              <section aria-labelledby="attention-title" className="mb-8">
                <SectionTitle id="attention-title">Needs your attention</SectionTitle>
                <TaskRows tasks={above} />
              </section>
            ) : null}
            {list.length > 0 ? (
              <section aria-label={status ? `Tasks: ${STATES[status].word}` : 'All tasks'}>
                {above.length > 0 ? <SectionTitle>All other tasks</SectionTitle> : null}
                <TaskRows tasks={list} />
              </section>
            ) : null}
          </TaskSelection>
          {list.length + above.length === 0 ? <NoTasks status={status} /> : null}
          <Pager newer={newer} older={older} label="Older and newer tasks" />
        </div>
      </div>
      {/* Changes only when a task that is shown has changed, so that each change is heard once. */}
      <p role="status" className="sr-only">
        {news}
      </p>
    </div>
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
