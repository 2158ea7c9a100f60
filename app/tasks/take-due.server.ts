import type { AppContext } from '../context.server'
import { isAboutOneRow } from '../db/errors.server'
import { describeError } from '../log.server'

/**
 * Maintenance's way to take what is due. `take(null)` moves a batch of rows back in their line in one statement and
 * answers them; a row that refuses even that would keep its whole batch from its turn. Then `due` lists a batch in any
 * order, so that no such row is always the first, and `take(id)` takes each by itself.
 */
export async function takeDue<T>(
  ctx: AppContext,
  take: (only: string | null) => Promise<T[]>,
  due: () => Promise<readonly { id: string }[]>,
): Promise<T[]> {
  try {
    return await take(null)
  } catch (error) {
    if (!isAboutOneRow(error)) throw error
    ctx.log('maintenance.batch_refused', describeError(error))
  }
  const taken: T[] = []
  for (const { id } of await due()) {
    try {
      taken.push(...(await take(id)))
    } catch (error) {
      if (!isAboutOneRow(error)) throw error
      ctx.log('maintenance.row_refused', { taskId: id, ...describeError(error) })
    }
  }
  return taken
}
