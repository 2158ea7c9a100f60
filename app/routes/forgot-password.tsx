import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { ForgotPasswordPage } from '~/components/account-reset-pages'
import { pageTitle } from '~/components/wording'
import { forgotPasswordWithForm, mailProblem } from '~/http/account.server'

export const meta: MetaFunction = () => [{ title: pageTitle('A new password') }]

export function loader({ context }: LoaderFunctionArgs) {
  return { problem: mailProblem(context) }
}

export function action({ request, context }: ActionFunctionArgs) {
  return forgotPasswordWithForm(request, context)
}

export default function ForgotPassword() {
  const answer = useActionData<typeof action>()
  const { problem } = useLoaderData<typeof loader>()
  return <ForgotPasswordPage problem={problem} reply={answer?.reply ?? null} sent={answer?.sent ?? false} />
}
