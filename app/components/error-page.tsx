import { LinkButton } from './button'
import { PageHeader } from './page-header'
import type { FailureText } from './types'

interface ErrorPageProps {
  status: number
  failure: FailureText
}

/** What stands in for a page that can't be shown. The number is for telling somebody about it. */
export function ErrorPage({ status, failure }: ErrorPageProps) {
  return (
    <div className="shell">
      <div data-kind="failed" className="mb-6 max-w-[34rem]">
        <div className="channel" data-flow="dashed" />
      </div>
      <PageHeader title={failure.message} lead={failure.next} />
      <div className="flex flex-wrap gap-3">
        <LinkButton to="/tasks" look="primary">
          Your tasks
        </LinkButton>
        <LinkButton to="/files">Your files</LinkButton>
      </div>
      <p className="mt-8 text-small text-soft">
        Status {status}, {failure.code}
      </p>
    </div>
  )
}
