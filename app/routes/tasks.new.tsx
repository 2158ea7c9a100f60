import {
  data,
  redirect,
  type ActionFunctionArgs,
  type AppLoadContext,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/cloudflare'
import { useActionData, useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react'
import { ANSWER_LOST, unlessAnswerLost } from '~/components/lost-answer'
import { NewTaskPage } from '~/components/new-task-page'
import { pageTitle } from '~/components/wording'
import { FAILURES } from '~/config/failures'
import { listFiles } from '~/files/queries.server'
import { fileRow } from '~/http/file-view.server'
import { formReply, readForm } from '~/http/form.server'
import { requireReader, requireTaskWriter } from '~/http/limited-user.server'
import { parseTaskForm } from '~/http/task-form.server'
import { failureText, processorChoices } from '~/http/task-view.server'
import { submitTask } from '~/tasks/submission.server'

export const meta: MetaFunction = () => [{ title: pageTitle('New task') }]

/** Requests whose action has answered: their page keeps the inputs, whatever the URL has. */
const answered = new WeakSet<AppLoadContext>()

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const url = new URL(request.url)
  // The key stands in the URL, so that Back and a reload keep it and sending again is the same request.
  if (!url.searchParams.has('key') && !answered.has(context)) {
    url.searchParams.set('key', crypto.randomUUID())
    throw redirect(`${url.pathname}${url.search}`, 303)
  }
  const page = await listFiles(context.app, { userId: user.id, limit: context.app.site.files.maxCount })
  if (page === 'INVALID_INPUT') throw new Error('a list without a cursor was refused')
  return {
    requestKey: url.searchParams.get('key') ?? '',
    fileId: url.searchParams.get('fileId') ?? '',
    processor: url.searchParams.get('processor') ?? '',
    files: page.files.map(fileRow),
    processors: processorChoices(context.app.site),
  }
}

export async function action({ request, context }: ActionFunctionArgs) {
  answered.add(context)
  const user = await requireTaskWriter(request, context)
  const fields = await readForm(request)
  const form = parseTaskForm(fields)
  if (!form.ok) {
    const { values, errors } = form.reply
    return data(
      { values, errors, problem: failureText('INVALID_INPUT'), earlierTaskId: null, freshKey: null },
      400,
    )
  }
  const { value } = form
  const submission = await submitTask(context.app, { userId: user.id, ...value })
  if (submission.outcome === 'created' || submission.outcome === 'repeated') {
    return redirect(`/tasks/${submission.taskId}`, 303)
  }
  if (submission.outcome === 'UNAUTHENTICATED')
    throw redirect(`/login?${new URLSearchParams({ redirectTo: '/tasks/new' })}`, 303)
  const { taskId, outcome } = submission
  return data(
    {
      ...formReply(fields, {}),
      problem: failureText(outcome),
      earlierTaskId: taskId,
      // The used key belongs to the earlier task: the changed inputs go on under one of their own.
      freshKey: outcome === 'REQUEST_CONFLICT' ? crypto.randomUUID() : null,
    },
    FAILURES[outcome].status,
  )
}

export const shouldRevalidate = unlessAnswerLost

/** An answer that got lost leaves the form as it was sent: sent again under its key, it leads to the same task. */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const fields = await request.clone().formData()
  try {
    return await serverAction<typeof action>()
  } catch (error) {
    // What `fetch` throws without an answer. Answers that are no replies, such as a redirect, go on their way.
    if (!(error instanceof TypeError)) throw error
    const values = Object.fromEntries([...fields].map(([name, value]) => [name, String(value)]))
    return { values, errors: {}, problem: ANSWER_LOST, earlierTaskId: null, freshKey: null }
  }
}

export default function NewTask() {
  const { requestKey, fileId, processor, files, processors } = useLoaderData<typeof loader>()
  const reply = useActionData<typeof action>()
  const key = reply?.freshKey ?? reply?.values.requestKey ?? requestKey
  return (
    <NewTaskPage
      requestKey={key}
      files={files}
      processors={processors}
      values={reply?.values ?? { fileId, processor }}
      errors={reply?.errors ?? {}}
      problem={reply?.problem ?? null}
      earlierTaskId={reply?.earlierTaskId ?? null}
      action={`/tasks/new?${new URLSearchParams({ key })}`}
    />
  )
}
