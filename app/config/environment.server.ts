import * as z from 'zod'

/** As browsers write an origin: the header is compared with it letter by letter. */
function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value
}

/** A binding is an object that the platform made; its shape is the platform's promise, not ours to check. */
const binding = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null).optional()

const environmentSchema = z.object({
  /** Where people reach the site: scheme, host and port, no path. Every mutation's `Origin` is compared with it. */
  APP_ORIGIN: z
    .string()
    .refine(
      isOrigin,
      'scheme (http or https), host and port only, in lower case, without a slash at the end',
    ),
  /** Signs session cookies. */
  AUTH_SECRET: z.string().min(32, 'at least 32 characters; `openssl rand -base64 32` makes one'),
  /** Overrides `cookiePrefix` of `app/config/site.ts`. */
  COOKIE_PREFIX: z.string().min(1).optional(),
  /** A PostgreSQL address. Takes precedence over `HYPERDRIVE`; meant for one machine. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'an address that starts with postgres://')
    .optional(),
  HYPERDRIVE: binding<Hyperdrive>(),
  /** Without it nothing can be uploaded, submitted or retried (`NOT_CONFIGURED`). */
  STORAGE: binding<R2Bucket>(),
  /** Without it nothing can be submitted or retried (`NOT_CONFIGURED`). */
  TASK_QUEUE: binding<Queue>(),
  /** The dead-letter queue's name: a batch from any other queue is never taken for dead letters. */
  TASK_DEAD_QUEUE_NAME: z.string().min(1),
  /** Cloudflare's Email Service; with it goes `MAIL_FROM`. Without them a site that strangers reach sends no mail. */
  EMAIL: binding<SendEmail>(),
  /** Where mail comes from: an address of a domain that Email Service may send for. */
  MAIL_FROM: z.email('an e-mail address').optional(),
  /** A cache of progress. Nothing's correctness depends on it. */
  PROGRESS: binding<KVNamespace>(),
})

export type Environment = z.infer<typeof environmentSchema>

/**
 * The Worker's environment, checked. Throws an error that names each missing or wrong variable and what it
 * should be; never their values, which may be secrets.
 */
export function readEnvironment(env: unknown): Environment {
  const parsed = environmentSchema.safeParse(env)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `  ${path.join('.') || 'env'}: ${message}`,
    )
    throw new Error(
      `The environment is not complete:\n${problems.join('\n')}\nSee "Configuration" in README.md.`,
    )
  }
  if (!parsed.data.DATABASE_URL && !parsed.data.HYPERDRIVE) {
    throw new Error(
      'There is no database: bind HYPERDRIVE in wrangler.toml, or set DATABASE_URL on one machine.',
    )
  }
  requireBoth(parsed.data, 'EMAIL', 'MAIL_FROM')
  return parsed.data
}

/** Half of a setting is a mistake, and one that nobody would notice before it matters. */
function requireBoth(env: Environment, one: keyof Environment, other: keyof Environment): void {
  if ((env[one] === undefined) === (env[other] === undefined)) return
  const [missing, there] = env[one] === undefined ? [one, other] : [other, one]
  throw new Error(
    `The environment is not complete:\n  ${missing}: missing, and ${there} needs it.\nSee "Configuration" in README.md.`,
  )
}
