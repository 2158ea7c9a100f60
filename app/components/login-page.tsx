import { AccountForm, type AccountPageProps } from './account-form'
import { Link } from '@remix-run/react'
import { Field } from './field'

export function LoginPage(props: AccountPageProps) {
  const { reply } = props
  return (
    <AccountForm
      {...props}
      title="Log in"
      doIt="Log in"
      other={{ to: '/signup', question: 'You have no account yet?', label: 'Sign up' }}
      fieldNames={['email', 'password']}
    >
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
      <Field
        id="password"
        name="password"
        type="password"
        label="Password"
        autoComplete="current-password"
        errors={reply?.errors.password}
        required
      />
      <Link to="/forgot-password" className="link link-alone -mt-3 justify-self-start">
        Forgot your password?
      </Link>
    </AccountForm>
  )
}
