import type { FailureText } from './types'

export function ErrorPage({ failure }: { status: number; failure: FailureText }) {
  return <h1>{failure.message}</h1>
}
