import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import { useLoaderData } from '@remix-run/react'
import { AccountPage } from '~/components/account-page'
import { pageTitle } from '~/components/wording'
import { accountPage } from '~/http/account.server'

export const meta: MetaFunction = () => [{ title: pageTitle('Account') }]

export async function loader({ request, context }: LoaderFunctionArgs) {
  const page = await accountPage(request, context)
  const changed = new URL(request.url).searchParams.get('after') === 'password'
  return { ...page, notice: changed ? 'Your password is changed, and every other session has ended.' : null }
}

export default function Account() {
  return <AccountPage {...useLoaderData<typeof loader>()} />
}
