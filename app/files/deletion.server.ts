import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'
import { removeObjects } from './cleanup.server'

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
    select outcome, task_id, object_key
      from engine.begin_file_deletion(p_now => ${timeOf(ctx.clock)}, p_user => ${userId}, p_file => ${fileId})`
  if (!answer) throw new Error('begin_file_deletion answered nothing')
  ctx.log('file.delete', { fileId, outcome: answer.outcome })
  if (answer.outcome === 'FILE_IN_USE') return { outcome: 'FILE_IN_USE', taskId: answer.task_id }
  if (answer.outcome === 'FILE_NOT_FOUND') return { outcome: 'FILE_NOT_FOUND' }
  await removeObjects(ctx, [{ fileId, objectKey: answer.object_key }])
  return { outcome: 'deleted' }
}
