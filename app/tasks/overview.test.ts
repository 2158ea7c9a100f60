import { beforeEach, expect, it } from 'vitest'
import { ATTENTION_AMONG, ATTENTION_ROWS, COUNTED_MAX } from '../config/limits'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { claim, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { cancelTask } from './cancellation.server'
import { findInputNames, taskOverview } from './overview.server'
import { listTasks } from './queries.server'
import { recoverExpiredLeases } from './recovery.server'

const database = testDatabase()
let ctx: TestContext
let userId: string
let fileId: string

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  userId = (await createUser(ctx)).id
  fileId = (await createFile(ctx, { userId })).id
})

/** A task that ended this way, a second after the one before. */
async function failed(code: 'STORAGE_FULL' | 'INPUT_NOT_UTF8' = 'STORAGE_FULL', input = fileId) {
  ctx.advance(1000)
  const { taskId } = await submit(ctx, { userId, fileId: input })
  await endAttempt(ctx, await claim(ctx, taskId), { code })
  return taskId
}

async function canceled() {
  const { taskId } = await submit(ctx, { userId, fileId })
  await cancelTask(ctx, { userId, taskId })
  return taskId
}

const attentionIds = async () => (await taskOverview(ctx, userId)).attention.map(({ id }) => id)

it('counts an account’s own tasks by status', async () => {
  expect(await taskOverview(ctx, userId)).toEqual({ counts: {}, attention: [] })
  await submit(ctx, { userId, fileId })
  await claim(ctx, (await submit(ctx, { userId, fileId })).taskId)
  await failed()
  await canceled()
  await canceled()
  await submit(ctx)
  expect((await taskOverview(ctx, userId)).counts).toEqual({ queued: 1, running: 1, failed: 1, canceled: 2 })
})

it('stops counting where "more" begins', async () => {
  const taskId = await canceled()
  const columns = (
    await ctx.db.$client<{ name: string }[]>`
      select attname as name from pg_attribute where attrelid = 'task'::regclass and attnum > 0 and not attisdropped`
  ).map(({ name }) => name)
  const copied = columns.map((name) => (['id', 'request_key'].includes(name) ? 'gen_random_uuid()' : name))
  await ctx.db.$client.unsafe(
    `insert into task (${columns.join(', ')})
     select ${copied.join(', ')} from task, generate_series(1, ${COUNTED_MAX + 5}) where id = '${taskId}'`,
  )
  expect((await taskOverview(ctx, userId)).counts).toEqual({ canceled: COUNTED_MAX + 1 })
})

it('what its owner can do something about stands above, newest first: failures to retry, and uncertain tasks', async () => {
  const uncertain = await submit(ctx, { userId, fileId })
  await ctx.db.$client`update task set deterministic = false where id = ${uncertain.taskId}`
  await claim(ctx, uncertain.taskId)
  ctx.advance(10 * 60_000)
  await recoverExpiredLeases(ctx)
  const first = await failed()
  await failed('INPUT_NOT_UTF8')
  const second = await failed()
  await canceled()
  const { attention } = await taskOverview(ctx, userId)
  expect(attention.map(({ id }) => id)).toEqual([second, first, uncertain.taskId])
  expect(attention.map(({ can }) => can)).toEqual([
    { cancel: false, retry: true },
    { cancel: false, retry: true },
    { cancel: true, retry: false },
  ])
  expect(attention[0]!.createdAt).toEqual(new Date(ctx.clock.now!.getTime()))
})

it('a failure stays there while only other tasks are in its way, and goes with its input', async () => {
  const own = (await createFile(ctx, { userId })).id
  const taskId = await failed('STORAGE_FULL', own)
  for (let each = 0; each < ctx.site.tasks.maxActive; each++) await submit(ctx, { userId, fileId })
  const { attention } = await taskOverview(ctx, userId)
  expect(attention.map(({ id, can }) => [id, can.retry])).toEqual([[taskId, false]])
  await ctx.db.$client`update file set state = 'deleting' where id = ${own}`
  expect(await attentionIds()).toEqual([])
})

it('looks at the newest failures alone, and shows a few', async () => {
  const old = await failed()
  for (let each = 0; each < ATTENTION_AMONG - 1; each++) await failed('INPUT_NOT_UTF8')
  expect(await attentionIds()).toEqual([old])
  await failed('INPUT_NOT_UTF8')
  expect(await attentionIds()).toEqual([])
  for (let each = 0; each < ATTENTION_ROWS + 1; each++) await failed()
  expect(await attentionIds()).toHaveLength(ATTENTION_ROWS)
})

it('a page of one status goes on in both directions, losing and repeating none', async () => {
  const ids: string[] = []
  for (let each = 0; each < 5; each++) {
    ids.unshift(await failed(each % 2 ? 'STORAGE_FULL' : 'INPUT_NOT_UTF8'))
    await canceled()
  }
  const page = async (cursor: { after?: string; before?: string }) => {
    const answer = await listTasks(ctx, { userId, status: 'failed', limit: 2, ...cursor })
    if (answer === 'INVALID_INPUT') throw new Error(answer)
    return answer
  }
  const first = await page({})
  const second = await page({ after: first.nextCursor! })
  const third = await page({ after: second.nextCursor! })
  expect([first, second, third].flatMap(({ tasks }) => tasks.map(({ id }) => id))).toEqual(ids)
  expect(third.nextCursor).toBeNull()
  expect((await page({ before: third.previousCursor! })).tasks).toEqual(second.tasks)
  expect(first.tasks.map(({ can }) => can.retry)).toEqual([false, true])
})

it('names inputs of the account’s own tasks only', async () => {
  const own = await canceled()
  const others = await submit(ctx)
  expect(await findInputNames(ctx, { userId, taskIds: [own, others.taskId] })).toEqual(
    new Map([[own, 'notes.txt']]),
  )
})
