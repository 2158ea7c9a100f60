import { useRouteLoaderData, useSearchParams } from '@remix-run/react'
import { LandingPage } from '~/components/landing-page'
import type { loader as rootLoader } from '~/root'

export default function Index() {
  const user = useRouteLoaderData<typeof rootLoader>('root')?.user ?? null
  const [search] = useSearchParams()
  return <LandingPage signedIn={user !== null} farewell={search.get('after') === 'deletion'} />
}
