import * as z from 'zod'
import type { SiteSettings } from './site'

const positive = z.number().int().positive()

const siteSchema = z.strictObject({
  name: z.string().min(1).max(40),
  cookiePrefix: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'lower-case letters, digits and hyphens, starting with a letter'),
  storagePrefix: z.string().regex(/^[a-z0-9-]+\/$/, 'one folder name ending in "/"'),
  files: z.strictObject({
    // The consumer holds an input and its result in memory: 16 MiB is what it may have in flight.
    maxBytes: positive.max(16 * 1024 * 1024),
    quotaBytes: positive,
    maxCount: positive,
    retentionDays: positive,
    writesPerMinute: positive,
  }),
  tasks: z.strictObject({
    enabled: z.boolean(),
    maxActive: positive,
    maxAttempts: positive.max(100),
    writesPerMinute: positive,
    readsPerMinute: positive,
  }),
  prices: z.record(z.string(), z.number().int().nonnegative()),
})

/**
 * The site's settings, checked. Throws an error that names each wrong value and its rule:
 * a site with a wrong setting must not start half-working.
 */
export function checkSite(settings: SiteSettings): SiteSettings {
  const parsed = siteSchema.safeParse(settings)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `  ${path.join('.') || 'site'}: ${message}`)
  throw new Error(`app/config/site.ts is not valid:\n${problems.join('\n')}`)
}
