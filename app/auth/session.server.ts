import type { AppContext } from '../context.server'
import { momentOf, timeOf } from '../db/values.server'
import type { AuthEnvironment } from './auth.server'
import { UNKNOWN_DEVICE } from './device.server'

export interface SignedInUser {
  id: string
  /** The session that the request carries. */
  sessionId: string
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
    select u.id, s.id as "sessionId", u.name, u.email, u.is_operator as "isOperator"
      from session s join "user" u on u.id = s.user_id
     where s.token = ${token} and s.expires_at > engine.now(${timeOf(ctx.clock)})`
  return row ?? null
}

/** A session as its owner sees it. */
export interface OwnSession {
  id: string
  /** In our own few words, see `describeDevice`. */
  device: string
  begunAt: Date
  expiresAt: Date
}

/** An account's sessions that have not ended, the latest first; at most a hundred of them. One statement. */
export async function listSessions(ctx: AppContext, userId: string): Promise<OwnSession[]> {
  const rows = await ctx.db.$client<{ id: string; device: string; begun_at: string; expires_at: string }[]>`
    select id, coalesce(nullif(user_agent, ''), ${UNKNOWN_DEVICE}) as device,
           created_at::text as begun_at, expires_at::text as expires_at
      from session where user_id = ${userId} and expires_at > engine.now(${timeOf(ctx.clock)})
     order by created_at desc, id desc limit 100`
  return rows.map(({ id, device, begun_at, expires_at }) => ({
    id,
    device,
    begunAt: momentOf(begun_at),
    expiresAt: momentOf(expires_at),
  }))
}

/** Ends one of an account's own sessions, at once. NOT_FOUND: it has none with this id; nothing changed. One statement. */
export async function endOwnSession(
  ctx: AppContext,
  userId: string,
  sessionId: string,
): Promise<'ended' | 'NOT_FOUND'> {
  const ended = await ctx.db.$client`delete from session where id = ${sessionId} and user_id = ${userId}`
  return ended.count === 1 ? 'ended' : 'NOT_FOUND'
}

/** Ends an account's sessions but the one that asks. One statement; a repeat changes nothing. */
export async function endOtherSessions(ctx: AppContext, user: SignedInUser): Promise<void> {
  await ctx.db.$client`delete from session where user_id = ${user.id} and id <> ${user.sessionId}`
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
