import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import type { AuthEnvironment } from './auth.server'

export interface SignedInUser {
  id: string
  name: string
  email: string
  isOperator: boolean
}

/**
 * Whose session a request carries; null without one, with a forged or expired one, or after it was revoked. Read from the
 * database each time, in one statement. The cookie is the auth library's: `token.signature`, HMAC-SHA-256 with the
 * site's secret.
 */
export async function readSession(
  ctx: AppContext,
  env: AuthEnvironment,
  cookieHeader: string | null,
): Promise<SignedInUser | null> {
  const token = await sessionToken(ctx, env, cookieHeader)
  if (token === null) return null
  const [row] = await ctx.db.$client<SignedInUser[]>`
    select u.id, u.name, u.email, u.is_operator as "isOperator"
      from session s join "user" u on u.id = s.user_id
     where s.token = ${token} and s.expires_at > engine.now(${timeOf(ctx.clock)})`
  return row ?? null
}

/** Ended sessions. Maintenance's part; answers how many went. */
export async function pruneSessions(ctx: AppContext): Promise<number> {
  const gone = await ctx.db.$client`delete from session where expires_at <= engine.now(${timeOf(ctx.clock)})`
  return gone.count
}

/** Ends the session that a request carries, at once and everywhere. One statement; none without a valid cookie. */
export async function endSession(
  ctx: AppContext,
  env: AuthEnvironment,
  cookieHeader: string | null,
): Promise<void> {
  const token = await sessionToken(ctx, env, cookieHeader)
  if (token !== null) await ctx.db.$client`delete from session where token = ${token}`
}

async function sessionToken(
  ctx: AppContext,
  env: AuthEnvironment,
  cookieHeader: string | null,
): Promise<string | null> {
  const value = readCookie(cookieHeader, sessionCookieName(ctx, env))
  return value === null ? null : verifiedToken(value, env.AUTH_SECRET)
}

/** As the auth library names it. */
export function sessionCookieName(ctx: AppContext, env: AuthEnvironment): string {
  const secure = env.APP_ORIGIN.startsWith('https:') ? '__Secure-' : ''
  return `${secure}${ctx.site.cookiePrefix}.session_token`
}

function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) {
      try {
        return decodeURIComponent(pair.slice(at + 1).trim())
      } catch {
        return null
      }
    }
  }
  return null
}

async function verifiedToken(value: string, secret: string): Promise<string | null> {
  const at = value.lastIndexOf('.')
  if (at < 1) return null
  const token = value.slice(0, at)
  const encoder = new TextEncoder()
  try {
    const signature = Uint8Array.from(atob(value.slice(at + 1)), (character) => character.charCodeAt(0))
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify'])
    return (await crypto.subtle.verify('HMAC', key, signature, encoder.encode(token))) ? token : null
  } catch {
    return null
  }
}
