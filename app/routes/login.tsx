import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { LoginPage } from '~/components/login-page'
import { pageTitle } from '~/components/wording'
import { logInWithForm, signInPage } from '~/http/sign-in.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Log in') }]

export function loader({ request, context }: LoaderFunctionArgs) {
  return signInPage(request, context)
}

export function action({ request, context }: ActionFunctionArgs) {
  return logInWithForm(request, context)
}

export default function LogIn() {
  const { redirectTo, reset } = useLoaderData<typeof loader>()
  const reply = useActionData<typeof action>()?.reply ?? null
  return (
    <LoginPage
      reply={reply}
      redirectTo={reply?.values.redirectTo ?? redirectTo}
      notice={reset ? 'Your new password is set, and all your sessions have ended. Log in with it.' : null}
    />
  )
}
