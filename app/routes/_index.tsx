import { useRouteLoaderData } from '@remix-run/react'
import { LandingPage } from '~/components/landing-page'
import type { loader as rootLoader } from '~/root'

export default function Index() {
  const user = useRouteLoaderData<typeof rootLoader>('root')?.user ?? null
  return <LandingPage signedIn={user !== null} />
}
