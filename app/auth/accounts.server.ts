import { APIError } from 'better-auth/api'
import type { AppContext } from '../context.server'
import { createAuth, type AuthEnvironment } from './auth.server'
import { endSession } from './session.server'

export interface Credentials {
  email: string
  password: string
}

/** What a new session remembers of the browser, as `describeDevice` words it. */
interface Device {
  device?: string
}

/** Signed in: the cookies that carry the session. Refused: nothing was stored. */
export type SignIn<Refusal extends string> = { cookies: string[] } | { refused: Refusal }

/** Makes an account and signs in: one transaction of four statements, with one password hash (100 ms). */
export async function signUp(
  ctx: AppContext,
  env: AuthEnvironment,
  { name, email, password, device }: Credentials & Device & { name: string },
): Promise<SignIn<'EMAIL_TAKEN'>> {
  try {
    const { headers } = await createAuth(ctx, env).api.signUpEmail({
      body: { name, email, password },
      headers: sessionHeaders(device),
      returnHeaders: true,
    })
    return { cookies: headers.getSetCookie() }
  } catch (error) {
    if (hasCode(error, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL')) return { refused: 'EMAIL_TAKEN' }
    // Two sign-ups at once with one e-mail: the unique index let the other one win. The library says no more than this.
    if (hasCode(error, 'FAILED_TO_CREATE_USER') && (await isTaken(ctx, email)))
      return { refused: 'EMAIL_TAKEN' }
    throw error
  }
}

/**
 * Signs in: four statements. An unknown e-mail and a wrong password answer alike and cost the same hash. A password that is
 * changed meanwhile is a wrong one: no session that began with the old one outlives the change.
 */
export async function logIn(
  ctx: AppContext,
  env: AuthEnvironment,
  { email, password, device }: Credentials & Device,
): Promise<SignIn<'INVALID_CREDENTIALS'>> {
  let verifiedHash = ''
  const auth = createAuth(ctx, env, { onVerified: (hash) => (verifiedHash = hash) })
  try {
    const { headers, response } = await auth.api.signInEmail({
      body: { email, password },
      headers: sessionHeaders(device),
      returnHeaders: true,
    })
    if (!(await standsOn(ctx, response.token, verifiedHash))) return { refused: 'INVALID_CREDENTIALS' }
    return { cookies: headers.getSetCookie() }
  } catch (error) {
    if (hasCode(error, 'INVALID_EMAIL_OR_PASSWORD')) return { refused: 'INVALID_CREDENTIALS' }
    throw error
  }
}

/**
 * Whether a new session began with what is still the password; else it is ended. Waits for a change that is being made: what
 * comes after this is a change that finds the session and ends it. One statement.
 */
async function standsOn(ctx: AppContext, sessionToken: string, hash: string): Promise<boolean> {
  const ended = await ctx.db.$client`
    with credentials as (
      select 1 from account a join session s on s.user_id = a.user_id
       where s.token = ${sessionToken} and a.provider_id = 'credential' and a.password = ${hash} for share of a
    )
    delete from session where token = ${sessionToken} and not exists (select from credentials)`
  return ended.count === 0
}

/** The library stores what a browser calls itself as the session's; we have it store our own words. */
function sessionHeaders(device = ''): Headers {
  return new Headers({ 'User-Agent': device })
}

/**
 * Ends the session that a request carries, and answers the cookies that clear it. One statement; without a session, or
 * repeated, nothing changes. The library's own way would clear the cookies also where the session could not be deleted:
 * whoever has a copy of the cookie would stay signed in, and nobody would know.
 */
export async function logOut(
  ctx: AppContext,
  env: AuthEnvironment,
  cookieHeader: string | null,
): Promise<string[]> {
  await endSession(ctx, env, cookieHeader)
  // Without the request's cookies the library only makes those that clear them.
  const { headers } = await createAuth(ctx, env).api.signOut({ headers: new Headers(), returnHeaders: true })
  return headers.getSetCookie()
}

/**
 * Takes an account away, with its sessions, files, tasks, running ones too, and credits. Its objects' keys stay in the trash
 * by the same transaction, and cleaning removes them. Who works on one of its tasks finds its lease lost. False, also
 * for a repeat: there is no such account. One statement.
 */
export async function deleteAccount(ctx: AppContext, userId: string): Promise<boolean> {
  const [answer] = await ctx.db.$client<{ deleted: boolean }[]>`
    select engine.delete_account(p_user => ${userId}) as deleted`
  if (!answer) throw new Error('delete_account answered nothing')
  ctx.log('account.delete', { userId, deleted: answer.deleted })
  return answer.deleted
}

/** What the library refused. Everything else is an outage or a bug, which the edges answer. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof APIError && error.body?.code === code
}

async function isTaken(ctx: AppContext, email: string): Promise<boolean> {
  const rows = await ctx.db.$client`select 1 from "user" where email = ${email.toLowerCase()}`
  return rows.length > 0
}
