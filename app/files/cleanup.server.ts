import { MAINTENANCE_BATCH } from '../config/limits'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { withinStorageTime } from './storage-time.server'

interface StoredObject {
  /** Of the file. */
  id: string
  objectKey: string
}

/** Maintenance's part: sets expired files and uploads without an end aside. Answers how many were looked at. */
export async function setDueFilesAside(ctx: AppContext): Promise<number> {
  const [row] = await ctx.db.$client<{ looked: number }[]>`
    select engine.set_due_files_aside(${timeOf(ctx.clock)}, ${MAINTENANCE_BATCH}) as looked`
  return row?.looked ?? 0
}

/**
 * Maintenance's part: removes objects and rows of files that were set aside. Each is put back in the line before it is
 * tried, with gaps that grow to six hours: one that fails, hangs or ends its round blocks no other and keeps its row and
 * quota, and two rounds at once take different ones. Answers how many were looked at. One statement, and one for each
 * file that went.
 */
export async function cleanDeletedFiles(ctx: AppContext): Promise<number> {
  const taken = await ctx.db.$client<{ id: string; object_key: string }[]>`
    with due as (
      select id from file
       where next_try_at <= engine.now(${timeOf(ctx.clock)}) and state = 'deleting'
       order by next_try_at
       limit ${MAINTENANCE_BATCH}
         for update skip locked
    )
    update file f
       set try_count = f.try_count + 1,
           next_try_at = engine.now(${timeOf(ctx.clock)})
                       + least(interval '1 minute' * power(2, least(f.try_count, 10)), interval '6 hours')
      from due
     where f.id = due.id and f.state = 'deleting'
    returning f.id, f.object_key`
  await removeObjects(
    ctx,
    taken.map(({ id, object_key }) => ({ id, objectKey: object_key })),
  )
  return taken.length
}

/**
 * Removes the objects of files that were set aside, then their rows, and gives their quota back: objects first, because
 * removing one twice does no harm and forgetting one would. What can't be removed keeps its row for the next round.
 */
export async function removeObjects(ctx: AppContext, objects: readonly StoredObject[]): Promise<void> {
  const removed = (await removeTogether(ctx, objects)) ? objects : await removeSingly(ctx, objects)
  await Promise.all(removed.map(({ id }) => ctx.db.$client`select engine.finish_file_deletion(${id})`))
}

/** One request for all. False when it failed, and then nothing is known of any. */
async function removeTogether(ctx: AppContext, objects: readonly StoredObject[]): Promise<boolean> {
  if (objects.length < 2 || !ctx.storage) return objects.length === 0
  try {
    await withinStorageTime(ctx.storage.delete(objects.map(({ objectKey }) => objectKey)))
    return true
  } catch {
    return false
  }
}

/** So that one object which can't be removed keeps no other. */
async function removeSingly(ctx: AppContext, objects: readonly StoredObject[]): Promise<StoredObject[]> {
  const removed: StoredObject[] = []
  for (const object of objects) {
    try {
      if (!ctx.storage) throw new Error('no storage is bound')
      await withinStorageTime(ctx.storage.delete(object.objectKey))
      removed.push(object)
    } catch (error) {
      ctx.log('file.not_removed', { fileId: object.id, ...describeError(error) })
    }
  }
  return removed
}
