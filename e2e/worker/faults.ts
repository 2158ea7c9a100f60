import { holdAt, refuseClaims, refuseFailures } from '../../app/testing/holds'
import { passLease } from '../../app/testing/passing-time'
import { signUp, type Person } from '../../app/testing/person'
import { textIn } from '../../scripts/site/page-reading.mjs'
import { EXPECTED, INPUT } from './ordinary-work'
import { deliveriesOf } from './rows'
import { detailOf, expectError, expectJson, expectStatus, same, type Story, type TaskJson } from './story'

/** Queue settings of wrangler.toml, which run here as they are: one delivery and three more, ten seconds apart. */
const DELIVERIES = 4
const RETRY_SECONDS = 10

/** A message that no claim is granted for goes its whole way into the dead letters; then a person begins the task again. */
export async function exhaustDelivery({ site, sql, events, step, signal }: Story): Promise<void> {
  const owner = await signUp(site)
  const fileId = await owner.upload(INPUT)
  const failures = () => events.of('queue.batch_failed')
  const before = failures().length
  const acceptClaims = await refuseClaims(sql)

  const taskId = await step('the database refuses claims: the task waits in the queue', async () => {
    const id = await owner.submit(fileId, { params: { trimTrailing: true } })
    await owner.waitFor(id, 'queued')
    return id
  })
  await step('its message failed, came again three times, and became one dead letter', async () => {
    await events.waitFor('dead_letter', { atLeast: 1, timeoutMs: 90_000 })
    const tries = failures().slice(before)
    same('deliveries', tries.length, DELIVERIES)
    const gaps = tries.slice(1).map(({ at }, index) => (Date.parse(at) - Date.parse(tries[index]!.at)) / 1000)
    if (gaps.some((seconds) => Math.abs(seconds - RETRY_SECONDS) > 3))
      throw new Error(`gaps of ${gaps.join(', ')} s`)
    console.log(`    deliveries ${gaps.map((seconds) => seconds.toFixed(1)).join(', ')} s apart`)
  })
  await step(
    'one receipt, task failed with DELIVERY_EXHAUSTED, no attempt used, input free again',
    async () => {
      await owner.waitFor(taskId, 'failed')
      const task = await detailOf(owner, taskId)
      same(
        'the task',
        [task.error?.code, task.attemptCount, task.deliveryFailedAt.length],
        ['DELIVERY_EXHAUSTED', 0, 1],
      )
      const deliveries = {
        status: 'failed',
        version: 1,
        next: null,
        attempts: 0,
        pinned: false,
        receipts: ['applied'],
      }
      same('its rows', await deliveriesOf(sql, taskId), deliveries)
      const page = textIn(await (await expectStatus(await owner.get(`/tasks/${taskId}`), 200)).text())
      if (/millrace-tasks|dispatch|message id/i.test(page))
        throw new Error('the page names queues or messages')
    },
  )
  await acceptClaims()
  await step('the fault is gone, and nothing is delivered by itself', async () => {
    const still = await deliveriesOf(sql, taskId)
    for (let round = 0; round < 3; round += 1) same('the cron', await site.runCron(), 'ok')
    // Longer than the queue's own gap between two deliveries.
    await pause((RETRY_SECONDS + 1) * 1000, signal)
    same('its rows', await deliveriesOf(sql, taskId), still)
    same('deliveries', failures().length - before, DELIVERIES)
    same('claims', events.of('task.claim', taskId).length, 0)
  })
  await step(
    'retried over HTTP: succeeded with the right bytes; the failed delivery is still told',
    async () => {
      await expectJson(await owner.postJson(`/api/tasks/${taskId}/retry`, { attempts: 0 }), 200)
      await expectStatus(await owner.post(`/tasks/${taskId}/retry`, { attempts: '0' }), 303)
      await owner.waitFor(taskId, 'succeeded')
      await checkResult(owner, taskId)
      const task = await detailOf(owner, taskId)
      same('the task', [task.attemptCount, task.deliveryFailedAt.length], [1, 1])
    },
  )
}

async function checkResult(owner: Person, taskId: string) {
  const response = await expectStatus(await owner.get(`/api/tasks/${taskId}/result`), 200)
  const received = Buffer.from(await response.arrayBuffer()).toString('hex')
  same('the result', received, Buffer.from(EXPECTED).toString('hex'))
}

/** A worker whose database goes away after each claim: only the end of the lease can tell, until the budget is spent. */
export async function loseDatabaseAfterClaims(story: Story): Promise<void> {
  const { site, sql, step } = story
  const owner = await signUp(site)
  const fileId = await owner.upload(INPUT)
  const rounds = 3
  let taskId = ''
  for (let attempt = 1; attempt <= rounds; attempt += 1) {
    await step(
      `attempt ${attempt} lost its database after the claim, and only its lease's end settled it`,
      async () => {
        taskId = await loseDatabase(story, async () => {
          if (attempt === 1) return owner.submit(fileId)
          same('the cron', await site.runCron(), 'ok')
          return taskId
        })
        const { status, attemptCount } = await detailOf(owner, taskId)
        same('the task', [status, attemptCount], ['running', attempt])
        same('the cron before the lease ends', await site.runCron(), 'ok')
        same('the task', (await owner.taskStatus(taskId)).status, 'running')
        same('the lease was moved on', await passLease(sql, taskId), true)
      },
    )
  }
  await step('the budget is spent: LEASE_EXPIRED, and a manual retry is refused with 409', async () => {
    same('the cron', await site.runCron(), 'ok')
    const task = await detailOf(owner, taskId)
    const ends = task.attempts.map(({ outcome }) => outcome)
    same('the task', [task.status, task.error?.code, task.attemptCount], ['failed', 'LEASE_EXPIRED', rounds])
    same('its attempts', ends, Array(rounds).fill('lease_lost'))
    await expectError(
      await owner.postJson(`/api/tasks/${taskId}/retry`, { attempts: rounds }),
      409,
      'NOT_RETRYABLE',
    )
    await expectStatus(await owner.post(`/tasks/${taskId}/retry`, { attempts: String(rounds) }), 409)
    same('the task', (await owner.taskStatus(taskId)).status, 'failed')
  })
  await step('canceled while it ran: the request stands, and the lease’s end settles it', async () => {
    const id = await loseDatabase(story, () => owner.submit(fileId))
    const asked = await expectJson<TaskJson>(await owner.postJson(`/api/tasks/${id}/cancel`, {}), 200)
    same('the task', [asked.status, asked.cancelRequestedAt !== null], ['running', true])
    same('the lease was moved on', await passLease(sql, id), true)
    same('the cron', await site.runCron(), 'ok')
    same('the task', (await owner.taskStatus(id)).status, 'canceled')
    await expectStatus(await owner.get(`/api/tasks/${id}/result`), 404)
  })
}

/**
 * Begins an attempt, and takes its database away between claim and result: its connection is ended in the middle of a
 * statement, and the failure can't be written down either. Answers the task, when the Worker has given it up.
 */
async function loseDatabase({ sql, events }: Story, begin: () => Promise<string>): Promise<string> {
  const acceptFailures = await refuseFailures(sql)
  const hold = await holdAt(sql, 'reserve')
  const taskId = await begin()
  await hold.reached()
  const before = events.of('task.end_not_written', taskId).length
  await hold.breakConnection()
  await events.waitFor('task.end_not_written', { taskId, atLeast: before + 1 })
  await hold.release()
  await acceptFailures()
  return taskId
}

/** Real time, because it is the queue's own that is waited for. */
async function pause(milliseconds: number, signal: AbortSignal) {
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
