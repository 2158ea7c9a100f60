/**
 * What an operator chooses. Checked at start-up by `site-schema.server.ts`, which names the value and
 * the rule when one is wrong. Bindings and secrets are not here: they come from `wrangler.toml` and the environment.
 */
export interface SiteSettings {
  /** Shown in titles, the header and the installed app. */
  name: string
  /** Start of every cookie name. Two sites on one host (cookies ignore ports) need different ones; `COOKIE_PREFIX` overrides it. */
  cookiePrefix: string
  /** Start of every object key. Cleaning never touches objects outside it. */
  storagePrefix: string
  files: {
    /** Largest upload and largest result, in bytes. */
    maxBytes: number
    /** Bytes that one account may keep. */
    quotaBytes: number
    /** Files that one account may keep. */
    maxCount: number
    /** Days until a file expires. */
    retentionDays: number
    /** Uploads and deletions per account and minute. */
    writesPerMinute: number
  }
  tasks: {
    /** Off: nothing new is submitted or retried; reading and cancelling go on. */
    enabled: boolean
    /** Unfinished tasks that one account may have. */
    maxActive: number
    /** Attempts of one task, automatic and manual together. Copied into the task when it is made. */
    maxAttempts: number
    /** Submissions, cancellations and retries per account and minute. */
    writesPerMinute: number
    /** Pages and polls per account and minute. */
    readsPerMinute: number
  }
  /** Credits per processor name. A processor that is not named here is free. */
  prices: Record<string, number>
}

export const site: SiteSettings = {
  name: 'Millrace',
  cookiePrefix: 'millrace',
  storagePrefix: 'millrace/',
  files: {
    maxBytes: 10 * 1024 * 1024,
    quotaBytes: 100 * 1024 * 1024,
    maxCount: 200,
    retentionDays: 7,
    writesPerMinute: 60,
  },
  tasks: {
    enabled: true,
    maxActive: 5,
    maxAttempts: 3,
    writesPerMinute: 20,
    readsPerMinute: 240,
  },
  prices: {},
}
