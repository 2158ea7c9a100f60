import { data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/cloudflare'
import { useLoaderData } from '@remix-run/react'
import { TasksPage } from '~/components/tasks-page'
import { pageTitle } from '~/components/wording'
import { requireReader } from '~/http/limited-user.server'
import { failureText } from '~/http/task-view.server'
import { tasksPage } from '~/http/tasks-page.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Tasks') }]

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await requireReader(request, context)
  const page = await tasksPage(request, context, user.id)
  if (page === 'INVALID_INPUT') throw data(failureText('INVALID_INPUT'), { status: 400 })
  return page
}

export default function Tasks() {
  return <TasksPage {...useLoaderData<typeof loader>()} />
}
