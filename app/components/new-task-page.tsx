import { Form, Link, useNavigation } from '@remix-run/react'
import { LinkButton, SubmitButton } from './button'
import { EmptyState } from './empty-state'
import { FieldErrors, Select } from './field'
import { formatBytes } from './format'
import { ErrorSummary } from './error-summary'
import { Problem } from './notice'
import { PageHeader } from './page-header'
import { fieldId, ProcessorOption } from './processor-option'
import type { FailureText, FileRow, ProcessorChoice } from './types'
import { shortName, visibleName } from './visible-name'

interface NewTaskPageProps {
  /** Stays the same through Back, reload and a lost answer: sending twice is sending once. */
  requestKey: string
  files: FileRow[]
  processors: ProcessorChoice[]
  /** What was typed or comes from the address. It holds `requestKey` once the form was sent. */
  values: Record<string, string>
  errors: Record<string, string[]>
  problem: FailureText | null
  /** The task that an earlier use of the same key made. */
  earlierTaskId: string | null
  action: string
}

export function NewTaskPage(props: NewTaskPageProps) {
  const { files, processors, errors, problem, earlierTaskId } = props
  const selected = processors.find(({ name }) => name === props.values.processor) ?? processors[0]
  const fields: Record<string, string> = { fileId: 'fileId', processor: 'processor' }
  for (const field of selected?.fields ?? []) fields[field.name] = fieldId(selected?.name ?? '', field.name)
  return (
    <div className="shell">
      {Object.keys(errors).length > 0 ? (
        <ErrorSummary errors={errors} fields={fields} />
      ) : problem ? (
        <Problem problem={problem}>
          {earlierTaskId ? (
            <Link to={`/tasks/${earlierTaskId}`} className="link link-alone">
              Look at the earlier task
            </Link>
          ) : null}
        </Problem>
      ) : null}
      <PageHeader
        title="New task"
        lead="Choose a file and what to do with it. The file itself is never changed."
      />
      {files.length === 0 ? (
        <EmptyState
          title="First, a file"
          action={
            <LinkButton to="/files" look="primary">
              Upload a file
            </LinkButton>
          }
        >
          A task works on a file that you have uploaded, and there is none at the moment.
        </EmptyState>
      ) : (
        <TaskForm {...props} selected={selected?.name ?? ''} />
      )}
    </div>
  )
}

function TaskForm(props: NewTaskPageProps & { selected: string }) {
  const { requestKey, files, processors, values, errors, action, selected } = props
  const busy = useNavigation().state !== 'idle'
  const sent = 'requestKey' in values
  return (
    // A new key is a new form: it starts from the values that come with it.
    <Form key={requestKey} method="post" action={action} noValidate className="max-w-[38rem]">
      <input type="hidden" name="requestKey" value={requestKey} />
      <Select
        id="fileId"
        name="fileId"
        label="File"
        errors={errors.fileId}
        defaultValue={values.fileId || (files.length === 1 ? files[0]?.id : '')}
        required
      >
        <option value="">Choose a file</option>
        {files.map((file) => (
          <option key={file.id} value={file.id}>
            {shortName(visibleName(file.name))} ({formatBytes(file.size)})
          </option>
        ))}
      </Select>
      <fieldset
        id="processor"
        className="mt-8"
        aria-describedby={errors.processor?.length ? 'processor-error' : undefined}
      >
        <legend className="mb-1.5 font-strong">What to do with it</legend>
        <ul className="rows">
          {processors.map((processor) => (
            <ProcessorOption
              key={processor.name}
              processor={processor}
              checked={processor.name === selected}
              values={values}
              sent={sent}
              errors={errors}
            />
          ))}
        </ul>
        <FieldErrors id="processor" errors={errors.processor} />
      </fieldset>
      <div className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
        <SubmitButton busy={busy}>{busy ? 'Sending…' : 'Start the task'}</SubmitButton>
        <p className="text-small text-soft">Sending this form twice starts one task.</p>
      </div>
    </Form>
  )
}
