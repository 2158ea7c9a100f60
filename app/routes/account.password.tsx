import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useActionData, useLoaderData } from '@remix-run/react'
import { AccountPage } from '~/components/account-page'
import { pageTitle } from '~/components/wording'
import { accountPage, changePasswordWithForm } from '~/http/account.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Account') }]

/** The account, for the page that says why the password wasn't changed. */
export function loader({ request, context }: LoaderFunctionArgs) {
  return accountPage(request, context)
}

export function action({ request, context }: ActionFunctionArgs) {
  return changePasswordWithForm(request, context)
}

export default function ChangePassword() {
  const errors = useActionData<typeof action>()?.reply.errors
  return <AccountPage {...useLoaderData<typeof loader>()} passwordErrors={errors} />
}
