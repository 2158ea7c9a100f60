import { acceptClaims, refuseClaims } from '../../app/testing/holds'
import { passRedelivery } from '../../app/testing/passing-time'
import { checkBytes, type DoneTask } from './ordinary-work'
import { expectStatus, same, type Story } from './story'

/** The last thing before the stop: a task whose message stands in the queue. */
export async function leaveInQueue({ sql, step }: Story, { owner, fileId }: DoneTask): Promise<string> {
  return step('a task stands in the queue, which will be lost with the stop', async () => {
    await refuseClaims(sql)
    const taskId = await owner.submit(fileId, { params: { trimTrailing: true } })
    await owner.waitFor(taskId, 'queued')
    return taskId
  })
}

/** The same folders under a new PostgreSQL, a new workerd and an empty queue. */
export async function carryOn({ site, sql, step }: Story, done: DoneTask, waitingId: string): Promise<void> {
  await step('still signed in, and the old result is the same, byte for byte', async () => {
    await expectStatus(await done.owner.get('/files'), 200)
    await checkBytes(done)
    await acceptClaims(sql)
  })
  await step('a new task runs, and its result is the same', async () => {
    const taskId = await done.owner.submit(done.fileId, { params: { trimTrailing: true } })
    await done.owner.waitFor(taskId, 'succeeded')
    const { fileId: resultId } = (await result(done, taskId)).result
    await checkBytes({ ...done, taskId, resultId })
  })
  await step('the task whose message was lost waits for its next delivery, then succeeds', async () => {
    same('the cron', await site.runCron(), 'ok')
    same('the task', (await done.owner.taskStatus(waitingId)).status, 'queued')
    same('the time was moved on', await passRedelivery(sql, waitingId), true)
    same('the cron', await site.runCron(), 'ok')
    await done.owner.waitFor(waitingId, 'succeeded')
    const { fileId: resultId } = (await result(done, waitingId)).result
    await checkBytes({ ...done, taskId: waitingId, resultId })
  })
}

async function result({ owner }: DoneTask, taskId: string) {
  const response = await expectStatus(await owner.get(`/api/tasks/${taskId}`), 200)
  return (await response.json()) as { result: { fileId: string } }
}
