import { data, redirect, type AppLoadContext } from '@remix-run/cloudflare'
import * as z from 'zod'
import { PASSWORD_MAX } from '../auth/auth.server'
import { logOut } from '../auth/accounts.server'
import {
  beginPasswordReset,
  changePassword,
  deleteAccountWithPassword,
  isResetToken,
  resetPassword,
} from '../auth/passwords.server'
import { listSessions } from '../auth/session.server'
import { SIGN_IN_PER_ADDRESS } from '../config/limits'
import { sendMail } from '../mail/mailer.server'
import { countRequests } from '../rate-limits/count.server'
import { sha256Hex } from '../files/digest.server'
import { formReply, parseFields, readForm } from './form.server'
import { requireAccountWriter, requireReader } from './limited-user.server'
import { networkOf } from './network.server'
import { cookieHeaders, waitHeaders } from './respond.server'
import { email, mayAttempt, newPassword } from './sign-in.server'
import { failureText } from './task-view.server'

const password = (missing: string) =>
  z.string({ error: missing }).min(1, missing).max(PASSWORD_MAX, `At most ${PASSWORD_MAX} characters.`)

const changeSchema = z.object({ currentPassword: password('Enter your current password.'), newPassword })
const deletionSchema = z.object({ password: password('Enter your password.') })
const forgotSchema = z.object({ email })
const resetSchema = z.object({ newPassword })

const WRONG = 'That isn’t your password. Nothing was changed.'

/** What the account's page shows, for every page that shows it. */
export async function accountPage(request: Request, context: AppLoadContext) {
  const user = await requireReader(request, context)
  const sessions = await listSessions(context.app, user.id)
  return {
    name: user.name,
    email: user.email,
    sessions: sessions.map(({ id, device, begunAt }) => ({
      id,
      device,
      begunAt: begunAt.toISOString(),
      isThis: id === user.sessionId,
    })),
  }
}

export async function changePasswordWithForm(request: Request, context: AppLoadContext) {
  const user = await requireAccountWriter(request, context)
  const form = await readForm(request)
  const parsed = parseFields(form, changeSchema)
  if (!parsed.ok) return data({ reply: parsed.reply }, 400)
  if ((await changePassword(context.app, user, parsed.value)) === 'WRONG_PASSWORD') {
    return data({ reply: formReply(form, { currentPassword: [WRONG] }) }, 400)
  }
  throw redirect('/account?after=password', 303)
}

/** 303 to the front page, with the session's cookies cleared. */
export async function deleteAccountWithForm(request: Request, context: AppLoadContext) {
  const user = await requireAccountWriter(request, context)
  const form = await readForm(request)
  const parsed = parseFields(form, deletionSchema)
  if (!parsed.ok) return data({ reply: parsed.reply }, 400)
  if ((await deleteAccountWithPassword(context.app, user.id, parsed.value.password)) === 'WRONG_PASSWORD') {
    return data({ reply: formReply(form, { password: [WRONG] }) }, 400)
  }
  const cookies = await logOut(context.app, context.env, null)
  throw redirect('/?after=deletion', { status: 303, headers: cookieHeaders(cookies) })
}

/** Why nobody can be sent a link; null when the site sends mail. */
export function mailProblem({ app }: AppLoadContext) {
  return app.mailer ? null : failureText('MAIL_NOT_CONFIGURED')
}

/** Always the same answer, and before the letter is sent: neither tells whether there is such an account. */
export async function forgotPasswordWithForm(request: Request, context: AppLoadContext) {
  if (!context.app.mailer) return data({ reply: null, sent: false }, 503)
  const form = await readForm(request)
  const parsed = parseFields(form, forgotSchema)
  if (!parsed.ok) return data({ reply: parsed.reply, sent: false }, 400)
  if (!(await mayAttempt(context, request, parsed.value.email))) return tooMany(form)
  const mail = await beginPasswordReset(context.app, context.env, parsed.value.email)
  if (mail) context.waitUntil(sendMail(context.app, mail))
  return data({ reply: null, sent: true }, 200)
}

/** Why the link that was opened doesn't work; null when it does. */
export async function linkProblem(request: Request, { app }: AppLoadContext) {
  const token = new URL(request.url).searchParams.get('token') ?? ''
  return (await isResetToken(app, token)) ? null : failureText('RESET_LINK_INVALID')
}

export async function resetPasswordWithForm(request: Request, context: AppLoadContext) {
  const form = await readForm(request)
  const parsed = parseFields(form, resetSchema)
  if (!parsed.ok) return data({ reply: parsed.reply, sent: false }, 400)
  const address = networkOf(request.headers.get('CF-Connecting-IP') ?? 'unknown')
  const counted = await countRequests(context.app, {
    scope: 'reset.address',
    subject: await sha256Hex(new TextEncoder().encode(address)),
    limit: SIGN_IN_PER_ADDRESS,
  })
  if (counted !== 'ok') return tooMany(form)
  const token = new URL(request.url).searchParams.get('token') ?? ''
  // The page says what is wrong with the link: its loader looks at it again.
  if ((await resetPassword(context.app, token, parsed.value.newPassword)) === 'RESET_LINK_INVALID') {
    return data({ reply: null, sent: false }, 410)
  }
  throw redirect('/login?after=reset', 303)
}

function tooMany(form: URLSearchParams) {
  const { message, next } = failureText('RATE_LIMITED')
  const reply = formReply(form, { '': [`${message} ${next}`] })
  return data({ reply, sent: false }, { status: 429, headers: waitHeaders('RATE_LIMITED') })
}
