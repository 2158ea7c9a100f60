import type { FormReply } from './form-reply'

export function SignupPage(_props: {
  reply: FormReply | null
  redirectTo: string | null
  notice: string | null
}) {
  return <h1>Sign up</h1>
}
