import { MAINTENANCE_BATCH } from '../config/limits'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { withinStorageTime } from './storage-time.server'

/** An object that has to go. */
export interface UnwantedObject {
  objectKey: string
  /** The file that was set aside; null for an object in the trash, which has none. */
  fileId: string | null
}

/**
 * Maintenance's part: sets expired files and uploads without an end aside. One that fails moves back in its line and keeps
 * no other. Answers how many were looked at. One statement.
 */
export async function setDueFilesAside(ctx: AppContext): Promise<number> {
  const looked = await ctx.db.$client<{ file_id: string; outcome: string }[]>`
    select file_id, outcome
      from engine.set_due_files_aside(p_now => ${timeOf(ctx.clock)}, p_limit => ${MAINTENANCE_BATCH})`
  for (const { file_id: fileId, outcome } of looked) {
    if (outcome !== 'aside' && outcome !== 'pinned') ctx.log('file.not_set_aside', { fileId, code: outcome })
  }
  return looked.length
}

/**
 * Maintenance's part: removes the objects of files that were set aside, with their rows and quota, and those in the trash.
 * Each moves back in its line before it is tried, with gaps that grow to six hours: one that fails, hangs or ends its
 * round blocks no other and keeps its row and quota, and two rounds at once take different ones. Answers how many were
 * looked at. One statement, one for each file that went, and one for all of the trash.
 */
export async function cleanStorage(ctx: AppContext): Promise<number> {
  const taken = await ctx.db.$client<{ file_id: string | null; object_key: string }[]>`
    select file_id, object_key
      from engine.take_objects(p_now => ${timeOf(ctx.clock)}, p_limit => ${MAINTENANCE_BATCH})`
  await removeObjects(
    ctx,
    taken.map(({ file_id, object_key }) => ({ fileId: file_id, objectKey: object_key })),
  )
  return taken.length
}

/**
 * Removes objects, then their rows, and gives the files' quota back: objects first, because removing one twice does no harm
 * and forgetting one would. Never throws: what can't be removed is logged and keeps its row for a later round.
 */
export async function removeObjects(ctx: AppContext, objects: readonly UnwantedObject[]): Promise<void> {
  const removed = (await removeTogether(ctx, objects)) ? objects : await removeSingly(ctx, objects)
  const files = removed.flatMap(({ fileId }) => fileId ?? [])
  const trash = removed.flatMap(({ fileId, objectKey }) => (fileId === null ? objectKey : []))
  await Promise.all([...files.map((fileId) => forgetFile(ctx, fileId)), forgetTrash(ctx, trash)])
}

/** One request for all. False when it failed, and then nothing is known of any. */
async function removeTogether(ctx: AppContext, objects: readonly UnwantedObject[]): Promise<boolean> {
  if (objects.length < 2 || !ctx.storage) return objects.length === 0
  try {
    await withinStorageTime(ctx.storage.delete(objects.map(({ objectKey }) => objectKey)))
    return true
  } catch {
    return false
  }
}

/** So that one object which can't be removed keeps no other. */
async function removeSingly(ctx: AppContext, objects: readonly UnwantedObject[]): Promise<UnwantedObject[]> {
  const removed: UnwantedObject[] = []
  for (const object of objects) {
    try {
      if (!ctx.storage) throw new Error('no storage is bound')
      await withinStorageTime(ctx.storage.delete(object.objectKey))
      removed.push(object)
    } catch (error) {
      ctx.log('file.not_removed', { fileId: object.fileId, ...describeError(error) })
    }
  }
  return removed
}

/** The object is gone: so is the row now, and its quota is free. */
async function forgetFile(ctx: AppContext, fileId: string): Promise<void> {
  try {
    await ctx.db.$client`select engine.finish_file_deletion(p_file => ${fileId})`
  } catch (error) {
    ctx.log('file.not_forgotten', { fileId, ...describeError(error) })
  }
}

async function forgetTrash(ctx: AppContext, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  try {
    await ctx.db.$client`
      delete from object_trash
       where object_key in (select jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb))`
  } catch (error) {
    ctx.log('trash.not_forgotten', { objects: keys.length, ...describeError(error) })
  }
}
