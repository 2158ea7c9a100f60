import { APIError } from 'better-auth/api'
import type { AppContext } from '../context.server'
import { createAuth, type AuthEnvironment } from './auth.server'

export interface Credentials {
  email: string
  password: string
}

/** Signed in: the cookies that carry the session. Refused: nothing was stored. */
export type SignIn<Refusal extends string> = { cookies: string[] } | { refused: Refusal }

/** Makes an account and signs in. Four statements and one password hash (100 ms). */
export async function signUp(
  ctx: AppContext,
  env: AuthEnvironment,
  { name, email, password }: Credentials & { name: string },
): Promise<SignIn<'EMAIL_TAKEN'>> {
  try {
    const { headers } = await createAuth(ctx, env).api.signUpEmail({
      body: { name, email, password },
      returnHeaders: true,
    })
    return { cookies: headers.getSetCookie() }
  } catch (error) {
    if (isRefusal(error) || isTaken(error)) return { refused: 'EMAIL_TAKEN' }
    throw error
  }
}

/** Signs in. An unknown e-mail and a wrong password answer alike and cost the same hash. */
export async function logIn(
  ctx: AppContext,
  env: AuthEnvironment,
  { email, password }: Credentials,
): Promise<SignIn<'INVALID_CREDENTIALS'>> {
  try {
    const { headers } = await createAuth(ctx, env).api.signInEmail({
      body: { email, password },
      returnHeaders: true,
    })
    return { cookies: headers.getSetCookie() }
  } catch (error) {
    if (isRefusal(error)) return { refused: 'INVALID_CREDENTIALS' }
    throw error
  }
}

/** Ends the session that a request carries, and answers the cookies that clear it. Without one: nothing changes. */
export async function logOut(
  ctx: AppContext,
  env: AuthEnvironment,
  requestHeaders: Headers,
): Promise<string[]> {
  const { headers } = await createAuth(ctx, env).api.signOut({ headers: requestHeaders, returnHeaders: true })
  return headers.getSetCookie()
}

/** What the library answers with a 4xx: the caller's input, not an outage. */
function isRefusal(error: unknown): boolean {
  return error instanceof APIError && error.statusCode >= 400 && error.statusCode < 500
}

/** Two sign-ups at once with one address: the unique index lets one win. The driver's error stands behind others. */
function isTaken(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === '23505') return true
  }
  return error instanceof APIError
}
