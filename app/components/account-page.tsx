import { Form, useNavigation } from '@remix-run/react'
import { SubmitButton } from './button'
import { ErrorSummary } from './error-summary'
import { Fact } from './fact'
import { Field } from './field'
import { PageHeader, SectionTitle } from './page-header'
import { Remark } from './remark'
import { Time } from './time'

export interface SessionRow {
  id: string
  device: string
  begunAt: string
  isThis: boolean
}

interface AccountPageProps {
  name: string
  email: string
  sessions: SessionRow[]
  /** Why the password wasn't changed, by field. */
  passwordErrors?: Record<string, string[]>
  /** Why the account wasn't deleted, by field. */
  deletionErrors?: Record<string, string[]>
  notice?: string | null
}

export function AccountPage(props: AccountPageProps) {
  const { name, email, sessions, passwordErrors = {}, deletionErrors = {}, notice } = props
  const busy = useNavigation().state === 'submitting'
  return (
    <div className="shell">
      {notice ? <Remark>{notice}</Remark> : null}
      <ErrorSummary errors={passwordErrors} fields={PASSWORD_FIELDS} />
      <ErrorSummary errors={deletionErrors} fields={DELETION_FIELDS} />
      <PageHeader title="Account" />
      <div className="max-w-[38rem]">
        <dl>
          <Fact term="Name">{name}</Fact>
          <Fact term="E-mail">
            <span className="[overflow-wrap:anywhere]">{email}</span>
          </Fact>
        </dl>
        <Sessions sessions={sessions} />
        <section aria-labelledby="password-title" className="mt-12">
          <SectionTitle id="password-title">Password</SectionTitle>
          <Form method="post" action="/account/password" noValidate className="grid max-w-[26rem] gap-5">
            <Field
              id="currentPassword"
              name="currentPassword"
              type="password"
              label="Current password"
              autoComplete="current-password"
              errors={passwordErrors.currentPassword}
              required
            />
            <Field
              id="newPassword"
              name="newPassword"
              type="password"
              label="New password"
              help="At least 10 characters. Every other session ends."
              autoComplete="new-password"
              errors={passwordErrors.newPassword}
              required
            />
            <SubmitButton busy={busy} className="justify-self-start">
              Change the password
            </SubmitButton>
          </Form>
        </section>
        <section aria-labelledby="deletion-title" className="mt-12">
          <SectionTitle id="deletion-title">Delete the account</SectionTitle>
          <details open={Object.keys(deletionErrors).length > 0}>
            <summary className="link-alone text-failed underline underline-offset-[0.2em]">
              Delete this account
            </summary>
            <div className="border-s-2 border-failed ps-4">
              <p className="mb-3">
                All your files, tasks, results and credits go with it, at once and for good, and what runs is
                stopped. Nobody can bring them back.
              </p>
              <Form method="post" action="/account/delete" noValidate className="grid max-w-[26rem] gap-5">
                <Field
                  id="password"
                  name="password"
                  type="password"
                  label="Your password"
                  autoComplete="current-password"
                  errors={deletionErrors.password}
                  required
                />
                <SubmitButton look="destructive" busy={busy} className="justify-self-start">
                  Delete everything
                </SubmitButton>
              </Form>
            </div>
          </details>
        </section>
      </div>
    </div>
  )
}

const PASSWORD_FIELDS = { currentPassword: 'currentPassword', newPassword: 'newPassword' }
const DELETION_FIELDS = { password: 'password' }

function Sessions({ sessions }: { sessions: SessionRow[] }) {
  return (
    <section aria-labelledby="sessions-title" className="mt-12">
      <SectionTitle id="sessions-title">Where you are signed in</SectionTitle>
      <ul className="rows mb-4">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center justify-between gap-x-6 py-3">
            <div>
              <p className="font-strong">
                {session.device}
                {session.isThis ? ' (this one)' : ''}
              </p>
              <p className="text-small text-soft">
                since <Time iso={session.begunAt} />
              </p>
            </div>
            {session.isThis ? null : (
              <Form method="post" action={`/account/sessions/${session.id}/end`}>
                <button type="submit" className="button">
                  Sign out<span className="sr-only"> {session.device}</span>
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <Form method="post" action="/account/sessions/end-others">
          <SubmitButton look="quiet">Sign out everywhere else</SubmitButton>
        </Form>
      ) : null}
    </section>
  )
}
