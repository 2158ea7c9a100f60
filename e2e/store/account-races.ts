import { deleteAccount } from '../../app/auth/accounts.server'
import { storeUpload } from '../../app/files/upload.server'
import { claimTasks } from '../../app/tasks/claim.server'
import { publishResult } from '../../app/tasks/results.server'
import { createFile, createUser } from '../../app/testing/factories'
import { submit } from '../../app/testing/tasks'
import { checkCleaned } from './file-races'
import { gateAt, halves, readyToPublish } from './operations'
import type { Race } from './race'
import { must, type Stage } from './sessions'

/** The account went once, with everything that was its own, and cleaning removes all its objects. */
async function checkGone(stage: Stage, deletions: boolean[]): Promise<void> {
  must(deletions.filter(Boolean).length === 1, 'the account is deleted once', deletions)
  const [left] = await stage.ctx.db.$client<{ rows: number }[]>`
    select ((select count(*) from "user") + (select count(*) from file) + (select count(*) from task)
            + (select count(*) from storage_usage))::integer as rows`
  must(left?.rows === 0, 'nothing of it is left', left)
  await checkCleaned(stage)
}

const againstUpload: Race = {
  name: 'deleting an account against uploads to it, four of each',
  rounds: 16,
  async round(stage, gated) {
    const userId = (await createUser(stage.ctx)).id
    await createFile(stage.ctx, { userId })
    const { even, odd } = await halves(
      stage,
      (session) =>
        storeUpload(session, {
          ...{ userId, name: 'notes.txt', accepts: ['text/plain'], request: null },
          bytes: new TextEncoder().encode('one'),
        }),
      (session) => deleteAccount(session, userId),
      gateAt(gated, 'user', userId),
    )
    await checkGone(stage, odd)
    const stored = even.filter((answer) => 'fileId' in answer).length
    const cutOff = even.filter((answer) => 'refused' in answer && answer.refused === 'UPLOAD_FAILED').length
    const refused = even.filter(
      (answer) => 'refused' in answer && answer.refused === 'UNAUTHENTICATED',
    ).length
    must(stored + cutOff + refused === 4, 'an upload is stored, cut off or refused', even)
    return refused === 4 ? 'the deletion came first' : 'some uploads had begun'
  },
}

const againstPublish: Race = {
  name: 'deleting an account against publishing a result of it, four of each',
  rounds: 16,
  async round(stage, gated) {
    const { userId, lease, reservation } = await readyToPublish(stage)
    const { even, odd } = await halves(
      stage,
      (session) => publishResult(session, lease, reservation),
      (session) => deleteAccount(session, userId),
      gateAt(gated, 'user', userId),
    )
    await checkGone(stage, odd)
    const published = even.filter((outcome) => outcome === 'published').length
    must(published <= 1, 'it is published at most once', even)
    must(even.filter((outcome) => outcome === 'lease_lost').length === 4 - published, 'or not at all', even)
    return published ? 'published first' : 'the deletion came first'
  },
}

/** Claims lock tasks without the account: only the same order of tasks keeps the two from waiting for each other. */
const againstClaims: Race = {
  name: 'deleting an account against claiming all its tasks, four of each',
  rounds: 16,
  async round(stage, gated) {
    const userId = (await createUser(stage.ctx)).id
    const taskIds: string[] = []
    for (let each = 0; each < stage.ctx.site.tasks.maxActive; each += 1) {
      taskIds.push((await submit(stage.ctx, { userId })).taskId)
    }
    // In the table and in its indexes they now stand in the opposite order of their ids, in which claims lock them.
    for (const taskId of taskIds.toReversed()) {
      await stage.ctx.db.$client`update task set created_at = clock_timestamp() where id = ${taskId}`
    }
    const messages = taskIds.map((taskId) => ({ taskId, dispatchVersion: 1 }))
    const { even, odd } = await halves(
      stage,
      (session) => claimTasks(session, messages, { alone: false }),
      (session) => deleteAccount(session, userId),
      gateAt(gated, 'task', taskIds[2]!),
    )
    await checkGone(stage, odd)
    const claimed = even.flat().filter(({ outcome }) => outcome === 'claimed').length
    must(claimed <= taskIds.length, 'each task is claimed at most once', even)
    return claimed ? 'claimed first' : 'the deletion came first'
  },
}

export const ACCOUNT_RACES: readonly Race[] = [againstUpload, againstPublish, againstClaims]
