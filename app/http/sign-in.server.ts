import { data, redirect, type AppLoadContext } from '@remix-run/cloudflare'
import * as z from 'zod'
import { PASSWORD_MAX, PASSWORD_MIN } from '../auth/auth.server'
import { describeDevice } from '../auth/device.server'
import { logIn, signUp, type Credentials, type SignIn } from '../auth/accounts.server'
import { SIGN_IN_PER_ADDRESS, SIGN_IN_PER_ADDRESS_AND_EMAIL } from '../config/limits'
import { sha256Hex } from '../files/digest.server'
import { countRequests } from '../rate-limits/count.server'
import { formReply, parseFields, readForm } from './form.server'
import { networkOf } from './network.server'
import { safeRedirect } from './redirect-to.server'
import { getUser } from './require-user.server'
import { cookieHeaders, waitHeaders } from './respond.server'
import { failureText } from './task-view.server'

export const email = z
  .string({ error: 'Enter your e-mail address.' })
  .trim()
  .toLowerCase()
  .max(254, 'That is longer than an e-mail address can be.')
  .pipe(z.email('Enter an e-mail address, such as ada@example.org.'))

export const newPassword = z
  .string({ error: 'Choose a password.' })
  .min(PASSWORD_MIN, `At least ${PASSWORD_MIN} characters.`)
  .max(PASSWORD_MAX, `At most ${PASSWORD_MAX} characters.`)

export const loginSchema = z.object({
  email,
  password: z
    .string({ error: 'Enter your password.' })
    .min(1, 'Enter your password.')
    .max(PASSWORD_MAX, `At most ${PASSWORD_MAX} characters.`),
})

export const signupSchema = z.object({
  name: z
    .string({ error: 'Enter your name.' })
    .trim()
    .min(1, 'Enter your name.')
    .max(80, 'At most 80 characters.')
    // Nobody types one, and the database refuses some of them.
    .regex(/^\P{Cc}*$/u, 'A name has no control characters.'),
  email,
  password: newPassword,
})

/** What the forms to sign in and up need: where they lead. Who is signed in already is led there. */
export async function signInPage(request: Request, context: AppLoadContext) {
  const { searchParams } = new URL(request.url)
  const wanted = searchParams.get('redirectTo')
  if (await getUser(request, context)) throw redirect(safeRedirect(wanted, context.env.APP_ORIGIN), 303)
  return { redirectTo: wanted, reset: searchParams.get('after') === 'reset' }
}

/** Signing in with a form: 303 to where it leads, 400 with what was typed, 429 before any hashing. */
export function logInWithForm(request: Request, context: AppLoadContext) {
  return signInWithForm(request, context, loginSchema, logIn, {
    INVALID_CREDENTIALS: ['', 'That e-mail and password don’t belong together. Check both and try again.'],
  })
}

export function signUpWithForm(request: Request, context: AppLoadContext) {
  return signInWithForm(request, context, signupSchema, signUp, {
    EMAIL_TAKEN: ['email', 'There is an account with this e-mail already. Log in instead.'],
  })
}

async function signInWithForm<T extends Credentials, Refusal extends string>(
  request: Request,
  context: AppLoadContext,
  schema: z.ZodType<T>,
  signIn: (
    app: AppLoadContext['app'],
    env: AppLoadContext['env'],
    fields: T & { device: string },
  ) => Promise<SignIn<Refusal>>,
  refusals: Record<Refusal, [field: string, text: string]>,
) {
  const form = await readForm(request)
  const parsed = parseFields(form, schema)
  if (!parsed.ok) return data({ reply: parsed.reply }, 400)

  if (!(await mayAttempt(context, request, parsed.value.email))) {
    const { message, next } = failureText('RATE_LIMITED')
    const reply = formReply(form, { '': [`${message} ${next}`] })
    return data({ reply }, { status: 429, headers: waitHeaders('RATE_LIMITED') })
  }
  const signedIn = await signIn(context.app, context.env, {
    ...parsed.value,
    device: describeDevice(request.headers.get('User-Agent')),
  })
  if ('refused' in signedIn) {
    const [field, text] = refusals[signedIn.refused]
    return data({ reply: formReply(form, { [field]: [text] }) }, 400)
  }
  throw redirect(safeRedirect(form.get('redirectTo'), context.env.APP_ORIGIN), {
    status: 303,
    headers: cookieHeaders(signedIn.cookies),
  })
}

/** Both limits, counted before any hashing. Addresses and e-mails stand in the counters as digests only. */
export async function mayAttempt(
  { app }: AppLoadContext,
  request: Request,
  typedEmail: string,
): Promise<boolean> {
  const address = networkOf(request.headers.get('CF-Connecting-IP') ?? 'unknown')
  const [byBoth, byAddress] = await Promise.all([
    countRequests(app, {
      scope: 'sign-in.address-email',
      subject: await digest(`${address} ${typedEmail}`),
      limit: SIGN_IN_PER_ADDRESS_AND_EMAIL,
    }),
    countRequests(app, {
      scope: 'sign-in.address',
      subject: await digest(address),
      limit: SIGN_IN_PER_ADDRESS,
    }),
  ])
  return byBoth === 'ok' && byAddress === 'ok'
}

const digest = (text: string) => sha256Hex(new TextEncoder().encode(text))
