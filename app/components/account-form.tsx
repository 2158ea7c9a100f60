import { Form, Link, useNavigation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { SubmitButton } from './button'
import type { FormReply } from './form-reply'
import { ErrorSummary } from './error-summary'
import { PageHeader } from './page-header'
import { Remark } from './remark'

export interface AccountPageProps {
  /** What came back when the form was refused. */
  reply: FormReply | null
  /** Where to go afterwards: a path of this site. */
  redirectTo: string | null
  notice: string | null
}

interface AccountFormProps extends AccountPageProps {
  title: string
  lead?: string
  doIt: string
  other: { to: string; question: string; label: string }
  fieldNames: string[]
  children: ReactNode
}

/** What signing up and logging in have in common. The form is sent to the page it stands on. */
export function AccountForm(props: AccountFormProps) {
  const { reply, redirectTo, notice, title, lead, doIt, other, fieldNames, children } = props
  const busy = useNavigation().state === 'submitting'
  const query = redirectTo ? `?${new URLSearchParams({ redirectTo })}` : ''
  return (
    <div className="shell">
      {notice ? <Remark>{notice}</Remark> : null}
      {reply ? (
        <ErrorSummary
          errors={reply.errors}
          fields={Object.fromEntries(fieldNames.map((name) => [name, name]))}
        />
      ) : null}
      <PageHeader title={title} lead={lead} />
      <div className="max-w-[26rem]">
        <Form method="post" noValidate className="grid gap-5">
          {redirectTo ? <input type="hidden" name="redirectTo" value={redirectTo} /> : null}
          {children}
          <SubmitButton busy={busy} className="mt-1 justify-self-start">
            {busy ? 'One moment…' : doIt}
          </SubmitButton>
        </Form>
        <p className="mt-6 border-t border-line pt-3 text-soft">
          {other.question}{' '}
          <Link to={`${other.to}${query}`} className="link link-alone">
            {other.label}
          </Link>
        </p>
      </div>
    </div>
  )
}
