import { beforeEach, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { claim, readTask, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { cancelTasks, retryTasks } from './bulk.server'
import { getTask } from './queries.server'

const database = testDatabase()
let ctx: TestContext
let userId: string
let fileId: string

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  userId = (await createUser(ctx)).id
  fileId = (await createFile(ctx, { userId })).id
})

async function fail(taskId: string) {
  await endAttempt(ctx, await claim(ctx, taskId), { code: 'STORAGE_FULL' })
}

async function failed() {
  const { taskId } = await submit(ctx, { userId, fileId })
  await fail(taskId)
  return taskId
}

const outcomesOf = (answers: { outcome: string }[]) => answers.map(({ outcome }) => outcome)

it('several tasks are cancelled each by itself: what isn’t there or has ended keeps no other', async () => {
  const waiting = await submit(ctx, { userId, fileId })
  const running = await submit(ctx, { userId, fileId })
  await claim(ctx, running.taskId)
  const others = await submit(ctx)
  const taskIds = [others.taskId, await failed(), crypto.randomUUID(), running.taskId, waiting.taskId]
  const outcomes = await cancelTasks(ctx, { userId, taskIds })
  expect(outcomes.map(({ taskId }) => taskId)).toEqual(taskIds)
  expect(outcomesOf(outcomes)).toEqual(['NOT_FOUND', 'unchanged', 'NOT_FOUND', 'requested', 'canceled'])
  expect((await readTask(ctx, others.taskId)).status).toBe('queued')
})

it('several tasks are retried each by itself, as long as there is room', async () => {
  const others = await submit(ctx)
  const failures = [await failed(), others.taskId, await failed()].map((taskId) => ({ taskId, attempts: 1 }))
  for (let each = 0; each < ctx.site.tasks.maxActive - 1; each++) await submit(ctx, { userId, fileId })
  expect(outcomesOf(await retryTasks(ctx, { userId, failures }))).toEqual([
    'retried',
    'NOT_FOUND',
    'ACTIVE_LIMIT',
  ])
})

it('the same form again changes nothing, also when a task has failed once more', async () => {
  const taskId = await failed()
  const { attemptCount, finishedAt } = (await getTask(ctx, { userId, taskId }))!
  const shown = { userId, failures: [{ taskId, attempts: attemptCount, finishedAt: finishedAt! }] }
  expect(outcomesOf(await retryTasks(ctx, shown))).toEqual(['retried'])
  expect(outcomesOf(await retryTasks(ctx, shown))).toEqual(['repeated'])
  await fail(taskId)
  expect(outcomesOf(await retryTasks(ctx, shown))).toEqual(['repeated'])
  expect(await readTask(ctx, taskId)).toMatchObject({ status: 'failed', attempt_count: 2 })
})

it('without a count the failure is meant that stands now', async () => {
  const [taskId, other] = [await failed(), (await submit(ctx)).taskId]
  const outcomes = await retryTasks(ctx, { userId, failures: [{ taskId }, { taskId: other }] })
  expect(outcomesOf(outcomes)).toEqual(['retried', 'NOT_FOUND'])
})

it('one proof that a person asks is good for the whole form', async () => {
  const failures = [await failed(), await failed()].map((taskId) => ({ taskId, attempts: 1 }))
  let looks = 0
  const guarded = { ...ctx, captcha: () => Promise.resolve(++looks === 1) }
  expect(outcomesOf(await retryTasks(guarded, { userId, failures, captchaToken: 'once' }))).toEqual([
    'retried',
    'retried',
  ])
})
