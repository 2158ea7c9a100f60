import type { AppContext } from '../context.server'
import { MAINTENANCE_BATCH } from '../config/limits'
import { timeOf } from '../db/values.server'
import { describeError } from '../log.server'

export type Deletion = { outcome: 'deleted' | 'FILE_NOT_FOUND' } | { outcome: 'FILE_IN_USE'; taskId: string }

/**
 * Deletes an account's file, unless an active task needs it. From the answer on nobody sees it any more; when its object
 * can't be removed at once, cleaning does that later and gives the quota back then. A repeat is `FILE_NOT_FOUND`. Two
 * statements.
 */
export async function deleteFile(
  ctx: AppContext,
  { userId, fileId }: { userId: string; fileId: string },
): Promise<Deletion> {
  const [answer] = await ctx.db.$client<
    { outcome: 'deleting' | 'FILE_IN_USE' | 'FILE_NOT_FOUND'; task_id: string; object_key: string }[]
  >`
    select outcome, task_id, object_key from engine.begin_file_deletion(${timeOf(ctx.clock)}, ${userId}, ${fileId})`
  if (!answer) throw new Error('begin_file_deletion answered nothing')
  ctx.log('file.delete', { fileId, outcome: answer.outcome })
  if (answer.outcome === 'FILE_IN_USE') return { outcome: 'FILE_IN_USE', taskId: answer.task_id }
  if (answer.outcome === 'FILE_NOT_FOUND') return { outcome: 'FILE_NOT_FOUND' }
  await removeObject(ctx, { id: fileId, objectKey: answer.object_key })
  return { outcome: 'deleted' }
}

/**
 * Maintenance's part: removes objects and rows of files that were set aside. One that can't be removed moves back in the
 * line with growing gaps, keeps its row and quota, and blocks no other. Answers how many were looked at.
 */
export async function cleanDeletedFiles(ctx: AppContext): Promise<number> {
  const due = await ctx.db.$client<{ id: string; object_key: string }[]>`
    select id, object_key from file
     where next_try_at <= engine.now(${timeOf(ctx.clock)}) and state = 'deleting'
     order by next_try_at
     limit ${MAINTENANCE_BATCH}`
  for (const { id, object_key } of due) await removeObject(ctx, { id, objectKey: object_key })
  return due.length
}

/** Maintenance's part: sets expired files and uploads without an end aside. Answers how many were looked at. */
export async function setDueFilesAside(ctx: AppContext): Promise<number> {
  const [row] = await ctx.db.$client<{ looked: number }[]>`
    select engine.set_due_files_aside(${timeOf(ctx.clock)}, ${MAINTENANCE_BATCH}) as looked`
  return row?.looked ?? 0
}

/** Object first, then row and quota: removing an object twice does no harm, forgetting one would. */
async function removeObject(ctx: AppContext, file: { id: string; objectKey: string }): Promise<void> {
  try {
    if (!ctx.storage) throw new Error('no storage is bound')
    await ctx.storage.delete(file.objectKey)
  } catch (error) {
    ctx.log('file.not_removed', { fileId: file.id, ...describeError(error) })
    await ctx.db.$client`
      update file
         set try_count = try_count + 1,
             next_try_at = engine.now(${timeOf(ctx.clock)}) + least(interval '1 minute' * power(2, least(try_count, 10)), interval '6 hours')
       where id = ${file.id} and state = 'deleting'`
    return
  }
  await ctx.db.$client`select engine.finish_file_deletion(${file.id})`
}
