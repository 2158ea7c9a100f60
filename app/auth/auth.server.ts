import { verifyPassword } from 'better-auth/crypto'
import { betterAuth } from 'better-auth/minimal'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { uuidv7 } from 'uuidv7'
import type { Environment } from '../config/environment.server'
import type { AppContext } from '../context.server'
import { account, session, user, verification } from '../db/schema/auth.server'

/** NIST SP 800-63B: length is what counts; no rules of composition. */
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 128

/** A session ends this long after signing in, however much it is used: reading one is then never a write. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60

export type AuthEnvironment = Pick<Environment, 'APP_ORIGIN' | 'AUTH_SECRET'>

/**
 * The auth library over our tables, made for one invocation (1 ms). Its own HTTP handler stays unmounted: accounts are
 * reached through our actions only, where `Origin` and the rate limit are checked, which its direct calls don't do.
 */
export function createAuth(
  ctx: AppContext,
  env: AuthEnvironment,
  /** Learns which stored hash a right password was compared with. */
  { onVerified }: { onVerified?: (hash: string) => void } = {},
) {
  return betterAuth({
    baseURL: env.APP_ORIGIN,
    secret: env.AUTH_SECRET,
    database: drizzleAdapter(ctx.db, {
      provider: 'pg',
      schema: { user, session, account, verification },
      // An account without its credentials would block its e-mail for ever.
      transaction: true,
    }),
    trustedOrigins: [env.APP_ORIGIN],
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      password: {
        verify: async ({ hash, password }) => {
          const right = await verifyPassword({ hash, password })
          if (right) onVerified?.(hash)
          return right
        },
      },
    },
    session: {
      expiresIn: SESSION_SECONDS,
      disableSessionRefresh: true,
      // A cached session would outlive its revocation.
      cookieCache: { enabled: false },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    advanced: {
      cookiePrefix: ctx.site.cookiePrefix,
      useSecureCookies: env.APP_ORIGIN.startsWith('https:'),
      database: { generateId: () => uuidv7() },
      ipAddress: { disableIpTracking: true },
    },
  })
}
