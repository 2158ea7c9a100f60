import { data, redirect, type ActionFunctionArgs } from '@remix-run/cloudflare'
import { readForm } from '~/http/form.server'
import { requireTaskWriter } from '~/http/limited-user.server'
import { requireUser } from '~/http/require-user.server'
import { bulkLocation, countChosen, parseChosen } from '~/http/task-bulk.server'
import { CHOICE_REFUSED } from '~/components/wording'
import { cancelTasks } from '~/tasks/bulk.server'

/** Reached by reloading after a refusal, or by signing in again: the list is what there is to see. */
export function loader() {
  return redirect('/tasks', 303)
}

/** Each task by itself; as many writes as there are tasks. */
export async function action({ request, context }: ActionFunctionArgs) {
  await requireUser(request, context)
  const form = await readForm(request)
  const user = await requireTaskWriter(request, context, countChosen(form))
  const taskIds = parseChosen(form)
  if (!taskIds) throw data(CHOICE_REFUSED, { status: 400 })
  return redirect(bulkLocation('cancel', await cancelTasks(context.app, { userId: user.id, taskIds })), 303)
}

/** Never seen: the loader leads away, and so does the action. A route with a component has its refusals in a page. */
export default function Nothing() {
  return null
}
