import { uuidv7 } from 'uuidv7'
import { ABANDONED_AFTER_MS, MAINTENANCE_BATCH } from '../config/limits'
import type { AppContext } from '../context.server'
import { interval, timeOf } from '../db/values.server'
import { sha256Hex } from '../files/digest.server'
import { cleanName } from '../files/names'
import { newObjectKey } from '../files/object-key.server'
import { retention } from '../files/retention.server'
import { describeError } from '../log.server'
import type { Lease } from './claim.server'

export interface ResultBytes {
  bytes: Uint8Array
  type: string
  name: string
}

/** A result's place: reserved under the lease, its object still to be written. */
export interface Reservation {
  fileId: string
  objectKey: string
}

/**
 * Reserves quota and a row for this attempt's result, in place of what earlier attempts had reserved. One statement.
 * Nothing is visible to anyone before `publishResult`.
 */
export async function reserveResult(
  ctx: AppContext,
  lease: Lease,
  result: ResultBytes,
): Promise<Reservation | 'lease_lost' | 'canceled' | 'STORAGE_FULL'> {
  // The attempt's own: a write that comes late can overwrite nothing that a later attempt has written.
  const reservation = { fileId: uuidv7(), objectKey: newObjectKey(ctx) }
  const [answer] = await ctx.db.$client<
    { outcome: 'reserved' | 'lease_lost' | 'canceled' | 'STORAGE_FULL' }[]
  >`
    select engine.reserve_result(
      p_now => ${timeOf(ctx.clock)}, p_task => ${lease.taskId}, p_lease => ${lease.version},
      p_file => ${reservation.fileId}, p_object_key => ${reservation.objectKey}, p_name => ${cleanName(result.name)},
      p_type => ${result.type}, p_size => ${result.bytes.length}, p_sha256 => ${await sha256Hex(result.bytes)},
      p_max_files => ${ctx.site.files.maxCount}, p_max_bytes => ${ctx.site.files.quotaBytes},
      p_abandoned_after => ${interval(ABANDONED_AFTER_MS)}) as outcome`
  if (!answer) throw new Error('reserve_result answered nothing')
  return answer.outcome === 'reserved' ? reservation : answer.outcome
}

/**
 * Makes the written result exist: file ready, task succeeded, attempt ended and pin released, in one transaction and one
 * statement. `lease_lost`: this attempt may not publish any more and nothing changed, which is also what a second call
 * answers after the first one's answer was lost.
 */
export async function publishResult(
  ctx: AppContext,
  lease: Lease,
  reservation: Reservation,
): Promise<'published' | 'canceled' | 'lease_lost'> {
  const [answer] = await ctx.db.$client<{ outcome: 'published' | 'canceled' | 'lease_lost' }[]>`
    select engine.publish_result(
      p_now => ${timeOf(ctx.clock)}, p_task => ${lease.taskId}, p_lease => ${lease.version},
      p_file => ${reservation.fileId}, p_retention => ${retention(ctx)}) as outcome`
  if (!answer) throw new Error('publish_result answered nothing')
  return answer.outcome
}

/**
 * Maintenance's part: hands results that no running attempt will publish to cleaning. Every end of an attempt does that
 * itself; this finds what a bug or a restored database has left. One that fails moves back in its line and keeps no other.
 * Answers how many results were looked at.
 */
export async function setStrayResultsAside(ctx: AppContext): Promise<number> {
  const strays = await ctx.db.$client<{ task_id: string }[]>`
    with stray as (
      select f.id from file f join task t on t.id = f.task_id
       where f.state = 'uploading' and f.task_id is not null and t.status <> 'running'
         and (f.try_count = 0 or f.next_try_at <= engine.now(${timeOf(ctx.clock)}))
       order by f.next_try_at
       limit ${MAINTENANCE_BATCH}
         for no key update of f skip locked
    )
    update file f
       set try_count = f.try_count + 1,
           next_try_at = engine.try_again_at(engine.now(${timeOf(ctx.clock)}), f.try_count)
      from stray
     where f.id = stray.id and f.state = 'uploading'
    returning f.task_id`
  for (const { task_id } of strays) await setStraysOfTaskAside(ctx, task_id)
  return strays.length
}

async function setStraysOfTaskAside(ctx: AppContext, taskId: string): Promise<void> {
  try {
    await ctx.db
      .$client`select engine.set_stray_results_aside(p_now => ${timeOf(ctx.clock)}, p_task => ${taskId})`
    ctx.log('result.set_aside', { taskId })
  } catch (error) {
    ctx.log('result.set_aside_failed', { taskId, ...describeError(error) })
  }
}
