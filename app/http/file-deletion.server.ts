import type { DeletionOutcome } from '../components/types'
import { taskInWords } from '../components/wording'
import { FAILURES, type FailureCode } from '../config/failures'
import type { AppContext } from '../context.server'
import { deleteFile, type Deletion } from '../files/deletion.server'
import { findFiles } from '../files/queries.server'
import { getTask } from '../tasks/queries.server'
import { failureText, taskRow } from './task-view.server'

/** Deletes an account's files, each by itself, and answers what became of each, in their order. */
export async function deleteChosen(
  ctx: AppContext,
  { userId, fileIds }: { userId: string; fileIds: readonly string[] },
): Promise<DeletionOutcome[]> {
  const found = await findFiles(ctx, { userId, fileIds })
  const outcomes: DeletionOutcome[] = []
  for (const [index, fileId] of fileIds.entries()) {
    const each = found[index]
    const name = each && ('file' in each ? each.file.name : each.name)
    const deletion = await deleteFile(ctx, { userId, fileId })
    outcomes.push({ name: name ?? null, ...(await problemOf(ctx, userId, deletion)) })
  }
  return outcomes
}

async function problemOf(
  ctx: AppContext,
  userId: string,
  deletion: Deletion,
): Promise<Pick<DeletionOutcome, 'failure' | 'task'>> {
  if (deletion.outcome === 'deleted') return { failure: null, task: null }
  const failure = failureText(deletion.outcome)
  if (deletion.outcome !== 'FILE_IN_USE') return { failure, task: null }
  const task = await getTask(ctx, { userId, taskId: deletion.taskId })
  return { failure, task: task && { id: task.id, title: taskInWords(taskRow(task)) } }
}

/** 303 when all are deleted, else the first failure's status. */
export function deletionStatus(outcomes: readonly DeletionOutcome[]): number {
  const failed = outcomes.find(({ failure }) => failure !== null)
  return failed?.failure ? FAILURES[failed.failure.code as FailureCode].status : 303
}
