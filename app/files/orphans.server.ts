import { ABANDONED_AFTER_MS, ORPHAN_PAGE, ORPHANS_ALWAYS } from '../config/limits'
import type { AppContext } from '../context.server'
import { interval, timeOf } from '../db/values.server'
import { withinStorageTime } from './storage-time.server'

/**
 * Maintenance's part: one page of the search for objects under the site's prefix that no row knows of. A Worker that was
 * ended or a write that came too late leaves them, never one that is younger than an hour. They go to the trash, which
 * cleaning empties. The place in the bucket is kept between rounds; after the end it begins anew.
 *
 * Where more than half of a page would go, nothing goes: a database that was restored knows of no object since, and must
 * not erase the bucket. That is logged, stands in `orphan_scan.stopped_at`, and holds the search at this page until it
 * looks better or an operator approves it (docs/operations.md).
 *
 * Answers how many objects were looked at, less than a page where this turn ends. Two statements.
 */
export async function trashOrphans(ctx: AppContext): Promise<number> {
  if (!ctx.storage) return 0
  const prefix = ctx.site.storagePrefix
  const [scan] = await ctx.db.$client<{ cursor: string | null }[]>`
    select cursor from orphan_scan where prefix = ${prefix}`
  const after = scan?.cursor ?? null
  // By the last key, not by R2's own cursor: that one may no longer be valid when its turn comes.
  const listed = await withinStorageTime(
    ctx.storage.list({ prefix, limit: ORPHAN_PAGE, ...(after === null ? {} : { startAfter: after }) }),
  )
  // PostgreSQL has no text for a key with a NUL in it. None of ours has one.
  const objects = listed.objects.filter(({ key }) => !key.includes('\0'))
  const next = listed.truncated ? (objects.at(-1)?.key ?? null) : null

  const [answer] = await ctx.db.$client<{ outcome: 'moved_on' | 'stopped' | 'overtaken'; orphans: number }[]>`
    select outcome, orphans from engine.trash_orphans(
      p_now => ${timeOf(ctx.clock)}, p_prefix => ${prefix}, p_after => ${after}, p_next => ${next},
      p_listed => ${JSON.stringify(objects.map(({ key, uploaded }) => ({ key, uploaded })))}::text::jsonb,
      p_min_age => ${interval(ABANDONED_AFTER_MS)}, p_few => ${ORPHANS_ALWAYS})`
  if (!answer) throw new Error('trash_orphans answered nothing')
  const { outcome, orphans } = answer
  if (outcome === 'stopped') ctx.log('orphans.stopped', { orphans, looked: objects.length })
  else if (orphans > 0) ctx.log('orphans.found', { orphans, looked: objects.length })

  const goesOn = outcome === 'moved_on' && next !== null
  return goesOn ? ORPHAN_PAGE : Math.min(objects.length, ORPHAN_PAGE - 1)
}
