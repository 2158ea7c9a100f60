import type { FormReply } from './form-reply'

export function LoginPage(_props: {
  reply: FormReply | null
  redirectTo: string | null
  notice: string | null
}) {
  return <h1>Log in</h1>
}
