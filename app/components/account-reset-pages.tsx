import { Form, Link, useNavigation } from '@remix-run/react'
import { SubmitButton } from './button'
import { ErrorSummary } from './error-summary'
import { Field } from './field'
import type { FormReply } from './form-reply'
import { Problem } from './notice'
import { PageHeader } from './page-header'
import type { FailureText } from './types'

interface ForgotPasswordPageProps {
  /** Why the site can't do it at all. */
  problem: FailureText | null
  reply: FormReply | null
  sent: boolean
}

export function ForgotPasswordPage({ problem, reply, sent }: ForgotPasswordPageProps) {
  const busy = useNavigation().state === 'submitting'
  return (
    <div className="shell">
      {problem ? <Problem problem={problem} /> : null}
      {reply ? <ErrorSummary errors={reply.errors} fields={{ email: 'email' }} /> : null}
      <PageHeader title="A new password" lead={sent ? undefined : 'We send you a link that sets it.'} />
      {sent ? (
        <div role="status" className="max-w-[34rem]">
          <p>
            If there is an account with this e-mail, a link is on its way. It works once, for an hour. When
            nothing comes in a few minutes, look among unwanted mail, then ask again.
          </p>
          <Link to="/login" className="link link-alone">
            Log in
          </Link>
        </div>
      ) : problem ? null : (
        <Form method="post" noValidate className="grid max-w-[26rem] gap-5">
          <Field
            id="email"
            name="email"
            type="email"
            label="E-mail"
            autoComplete="username"
            defaultValue={reply?.values.email}
            errors={reply?.errors.email}
            required
          />
          <SubmitButton busy={busy} className="justify-self-start">
            Send the link
          </SubmitButton>
        </Form>
      )}
    </div>
  )
}

export function ResetPasswordPage({
  problem,
  reply,
}: {
  /** Why the link doesn't work. */
  problem: FailureText | null
  reply: FormReply | null
}) {
  const busy = useNavigation().state === 'submitting'
  return (
    <div className="shell">
      {problem ? (
        <Problem problem={problem}>
          <Link to="/forgot-password" className="link link-alone">
            Ask for a new link
          </Link>
        </Problem>
      ) : null}
      {reply ? <ErrorSummary errors={reply.errors} fields={{ newPassword: 'newPassword' }} /> : null}
      <PageHeader title="Choose a new password" />
      {problem ? null : (
        <Form method="post" noValidate className="grid max-w-[26rem] gap-5">
          <Field
            id="newPassword"
            name="newPassword"
            type="password"
            label="New password"
            help="At least 10 characters. All your sessions end."
            autoComplete="new-password"
            errors={reply?.errors.newPassword}
            required
          />
          <SubmitButton busy={busy} className="justify-self-start">
            Set the password
          </SubmitButton>
        </Form>
      )}
    </div>
  )
}
