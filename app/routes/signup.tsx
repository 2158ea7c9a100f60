import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { SignupPage } from '~/components/signup-page'
import { pageTitle } from '~/components/wording'
import { signUpWithForm, signInPage } from '~/http/sign-in.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Sign up') }]

export function loader({ request, context }: LoaderFunctionArgs) {
  return signInPage(request, context)
}

export function action({ request, context }: ActionFunctionArgs) {
  return signUpWithForm(request, context)
}

export default function SignUp() {
  const { redirectTo } = useLoaderData<typeof loader>()
  const reply = useActionData<typeof action>()?.reply ?? null
  return <SignupPage reply={reply} redirectTo={reply?.values.redirectTo ?? redirectTo} notice={null} />
}
