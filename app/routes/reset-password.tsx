import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { ResetPasswordPage } from '~/components/account-reset-pages'
import { pageTitle } from '~/components/wording'
import { linkProblem, resetPasswordWithForm } from '~/http/account.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Choose a new password') }]

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { problem: await linkProblem(request, context) }
}

export function action({ request, context }: ActionFunctionArgs) {
  return resetPasswordWithForm(request, context)
}

/** Also after a refusal: the link may have ended meanwhile. */
export const shouldRevalidate = () => true

export default function ResetPassword() {
  const { problem } = useLoaderData<typeof loader>()
  return <ResetPasswordPage problem={problem} reply={useActionData<typeof action>()?.reply ?? null} />
}
