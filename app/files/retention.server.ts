import type { AppContext } from '../context.server'
import { interval } from '../db/values.server'

const DAY_MS = 24 * 60 * 60_000

/** How long a file is kept from the moment on at which it is ready, as an `interval` parameter. */
export function retention({ site }: Pick<AppContext, 'site'>): string {
  return interval(site.files.retentionDays * DAY_MS)
}
