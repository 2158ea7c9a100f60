import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { AppContext } from '../context.server'
import { interval, timeOf } from '../db/values.server'
import type { Mail } from '../mail/mailer.server'
import type { AuthEnvironment } from './auth.server'
import { deleteAccount } from './accounts.server'

/** How long a link to set a new password works. */
export const RESET_LINK_MS = 60 * 60_000
/** Links of one account that work at a time: what somebody else can have sent to a person in an hour. */
export const RESET_LINKS_MAX = 3

/** 256 bits, as `newToken` writes them. */
const TOKEN = /^[0-9a-f]{64}$/

/** Whose password it is, and which session stays. */
interface Owner {
  id: string
  sessionId: string
}

/**
 * Sets a new password for who knows the current one. It ends every other session and every link that was sent to set one;
 * the session it is asked from stays. Of two changes at once one finds its password to be the wrong one. Two statements,
 * and two hashes (200 ms).
 */
export async function changePassword(
  ctx: AppContext,
  { id, sessionId }: Owner,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<'changed' | 'WRONG_PASSWORD'> {
  const current = await verifiedHash(ctx, id, currentPassword)
  if (current === null) return 'WRONG_PASSWORD'
  const [answer] = await ctx.db.$client<{ changed: boolean }[]>`
    select engine.change_password(
      p_now => ${timeOf(ctx.clock)}, p_user => ${id}, p_current => ${current},
      p_new => ${await hashPassword(newPassword)}, p_session => ${sessionId}) as changed`
  ctx.log('account.password_change', { userId: id, changed: answer?.changed })
  return answer?.changed ? 'changed' : 'WRONG_PASSWORD'
}

/** Deletes an account (`deleteAccount`) for who knows its password. Also when it is gone already. Two statements. */
export async function deleteAccountWithPassword(
  ctx: AppContext,
  userId: string,
  password: string,
): Promise<'deleted' | 'WRONG_PASSWORD'> {
  if ((await verifiedHash(ctx, userId, password)) === null) return 'WRONG_PASSWORD'
  await deleteAccount(ctx, userId)
  return 'deleted'
}

/** The stored hash, if this is the password that it was made of. */
async function verifiedHash(ctx: AppContext, userId: string, password: string): Promise<string | null> {
  const [row] = await ctx.db.$client<{ password: string }[]>`
    select password from account where user_id = ${userId} and provider_id = 'credential' and password is not null`
  return row && (await verifyPassword({ hash: row.password, password })) ? row.password : null
}

/**
 * Makes a link that sets a new password, and answers the letter that carries it; null where there is no account with this
 * e-mail, or as many of its links work already as may. Either way one statement. Only the token's digest is stored.
 */
export async function beginPasswordReset(
  ctx: AppContext,
  env: AuthEnvironment,
  email: string,
): Promise<Mail | null> {
  const token = newToken()
  const [answer] = await ctx.db.$client<{ begun: boolean }[]>`
    select engine.begin_password_reset(
      p_now => ${timeOf(ctx.clock)}, p_email => ${email}, p_digest => ${await digestOf(token)},
      p_lifetime => ${interval(RESET_LINK_MS)}, p_max => ${RESET_LINKS_MAX}) as begun`
  if (!answer?.begun) return null
  return {
    to: email,
    subject: `A new password for ${ctx.site.name}`,
    text: [
      `Somebody asked for a new password for your account at ${ctx.site.name} (${env.APP_ORIGIN}).`,
      'To choose one, open this link within an hour. It works once.',
      '',
      `${env.APP_ORIGIN}/reset-password?${new URLSearchParams({ token })}`,
      '',
      'If it wasn’t you, there is nothing to do: your password stays as it is.',
    ].join('\n'),
  }
}

/** Whether a link's token still works. One statement; none for what can be no token. */
export async function isResetToken(ctx: AppContext, token: string): Promise<boolean> {
  if (!TOKEN.test(token)) return false
  const rows = await ctx.db.$client`
    select from password_reset
     where token_digest = ${await digestOf(token)} and expires_at > engine.now(${timeOf(ctx.clock)})`
  return rows.length > 0
}

/**
 * Sets a new password for who has a link that works. It spends this link and every other of the account, and ends all its
 * sessions, in one transaction. A link that is used twice at once works once. Two statements; a spent link costs no hash.
 */
export async function resetPassword(
  ctx: AppContext,
  token: string,
  newPassword: string,
): Promise<'reset' | 'RESET_LINK_INVALID'> {
  if (!(await isResetToken(ctx, token))) return 'RESET_LINK_INVALID'
  const [answer] = await ctx.db.$client<{ user_id: string | null }[]>`
    select engine.reset_password(
      p_now => ${timeOf(ctx.clock)}, p_digest => ${await digestOf(token)}, p_new => ${await hashPassword(newPassword)}) as user_id`
  ctx.log('account.password_reset', { userId: answer?.user_id })
  return answer?.user_id ? 'reset' : 'RESET_LINK_INVALID'
}

/** Links that have ended. Maintenance's part; answers how many went. */
export async function pruneResetLinks(ctx: AppContext): Promise<number> {
  const gone = await ctx.db
    .$client`delete from password_reset where expires_at <= engine.now(${timeOf(ctx.clock)})`
  return gone.count
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const newToken = () => hexOf(crypto.getRandomValues(new Uint8Array(32)))

const digestOf = async (token: string) =>
  hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))))
