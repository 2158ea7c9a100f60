import { Form, Link, useNavigation } from '@remix-run/react'
import { hasEnded } from '../config/task-statuses'
import { LinkButton, SubmitButton } from './button'
import { Confirm } from './confirm'
import { FileName } from './file-name'
import { Sign } from './icons'
import { LiveNotice } from './live-notice'
import { Problem } from './notice'
import { SectionTitle } from './page-header'
import { TaskFacts } from './task-facts'
import { TaskResult } from './task-result'
import { taskEvents } from './task-events'
import { TaskStatusBlock } from './task-status-block'
import { Timeline } from './timeline'
import type { FailureText, TaskView } from './types'
import { useLiveRevalidation } from './use-live-revalidation'
import { STATES } from './wording'

const DETAIL_EVERY_MS = 3_000
/** Characters beyond which a name would fill a phone's screen in the size of a title. */
const LONG_NAME = 40

interface TaskPageProps {
  task: TaskView
  /** The entity tag of the task's status. */
  tag: string
  /** False when the person stopped the reloading that stands in for JavaScript. */
  refresh: boolean
  /** Why a cancel or retry was refused. */
  problem: FailureText | null
}

export function TaskPage({ task, tag, refresh, problem }: TaskPageProps) {
  const active = !hasEnded(task.status)
  const live = useLiveRevalidation({
    active,
    everyMs: DETAIL_EVERY_MS,
    probe: `/api/tasks/${task.id}/status`,
    tag,
  })
  return (
    <div className="shell">
      <Link to="/tasks" className="link-alone -mt-2 mb-2 text-soft hover:text-accent">
        <Sign name="back" />
        Tasks
      </Link>
      {problem ? <Problem problem={problem} /> : null}
      <LiveNotice {...live} />
      <h1
        className={`mb-1 ${task.inputName.length > LONG_NAME ? 'text-large' : 'text-title sm:text-display'}`}
      >
        <FileName name={task.inputName} />
      </h1>
      <p className="mb-6 text-soft">{task.processorTitle}</p>
      <div className="gap-x-16 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div>
          <TaskStatusBlock task={task}>{task.result ? null : <Actions task={task} />}</TaskStatusBlock>
          {task.result ? (
            <>
              <TaskResult result={task.result} />
              <Actions task={task} />
            </>
          ) : null}
          <TaskFacts task={task} />
        </div>
        <section
          aria-labelledby="history-title"
          className="mt-10 lg:mt-0 lg:border-t-4 lg:border-line lg:pt-4"
        >
          <SectionTitle id="history-title">What happened</SectionTitle>
          <Timeline events={taskEvents(task)} />
          {active ? <ReloadingWithoutScript taskId={task.id} refresh={refresh} /> : null}
        </section>
      </div>
      {/* Its text changes only with the state, so that a screen reader hears each change once. */}
      <p role="status" className="sr-only">
        Status: {STATES[task.status].word}
      </p>
    </div>
  )
}

/** Only what the server would accept, the likely one first. */
function Actions({ task }: { task: TaskView }) {
  const { cancel, retry, giveUp, again, otherFile } = task.actions
  const busy = useNavigation().state !== 'idle'
  if (!cancel && !retry && !giveUp && !again && !otherFile) return null
  const inputs = new URLSearchParams({ fileId: task.input.fileId, processor: task.processor })
  const ended = task.status !== 'running' && task.status !== 'reconciling'
  return (
    <div className="mt-5 flex flex-wrap items-start gap-x-5 gap-y-3">
      {retry ? (
        <Form method="post" action={`/tasks/${task.id}/retry`}>
          <input type="hidden" name="attempts" value={task.attempts} />
          <input type="hidden" name="finishedAt" value={task.finishedAt ?? ''} />
          <SubmitButton busy={busy}>Retry</SubmitButton>
        </Form>
      ) : null}
      {otherFile ? (
        <LinkButton to={`/tasks/new?${new URLSearchParams({ processor: task.processor })}`} look="primary">
          Start with another file
        </LinkButton>
      ) : null}
      {again ? (
        <LinkButton
          to={`/tasks/new?${inputs}`}
          look={task.status === 'failed' && !retry ? 'primary' : 'quiet'}
        >
          Start again with the same inputs
        </LinkButton>
      ) : null}
      {cancel ? (
        <Confirm
          label="Cancel this task"
          question={
            ended
              ? 'It ends at once and doesn’t run. Your file stays as it is.'
              : 'It is being worked on: the worker is asked to stop, and the task ends when it has. No result is kept; your file stays as it is.'
          }
          doIt="Cancel the task"
          action={`/tasks/${task.id}/cancel`}
          busy={busy}
        />
      ) : null}
      {giveUp ? (
        <Confirm
          label="Give up"
          question="The credits that are set aside for it come back to you, and it can’t be retried any more."
          doIt="Give up and get the credits back"
          action={`/tasks/${task.id}/give-up`}
          busy={busy}
        />
      ) : null}
    </div>
  )
}

function ReloadingWithoutScript({ taskId, refresh }: { taskId: string; refresh: boolean }) {
  return (
    <noscript>
      <p className="mt-6 border-t border-line pt-2 text-small text-soft">
        {refresh ? 'This page reloads itself every few seconds. ' : 'This page doesn’t reload itself. '}
        <a className="link link-alone" href={refresh ? `/tasks/${taskId}?refresh=off` : `/tasks/${taskId}`}>
          {refresh ? 'Stop reloading' : 'Reload it by itself'}
        </a>
      </p>
    </noscript>
  )
}
