import { AccountForm, type AccountPageProps } from './account-form'
import { Field } from './field'

export function SignupPage(props: AccountPageProps) {
  const { reply } = props
  return (
    <AccountForm
      {...props}
      title="Sign up"
      lead="An account keeps your files and tasks apart from everybody else’s."
      doIt="Create the account"
      other={{ to: '/login', question: 'You have an account already?', label: 'Log in' }}
      fieldNames={['name', 'email', 'password']}
    >
      <Field
        id="name"
        name="name"
        label="Name"
        autoComplete="name"
        defaultValue={reply?.values.name}
        errors={reply?.errors.name}
        required
      />
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
        help="At least 10 characters. A few words in a row are easier to keep in mind."
        autoComplete="new-password"
        errors={reply?.errors.password}
        required
      />
    </AccountForm>
  )
}
