import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { queueMessage, submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { consumeMessages } from './consumer.server'
import { getTask, getTaskStatus, listTasks } from './queries.server'

const database = testDatabase()
let ctx: TestContext
let userId: string
/** Ids, newest first. Three of them were made in the same millisecond. */
let ids: string[]

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  userId = (await createUser(ctx)).id
  const fileId = (await createFile(ctx, { userId })).id
  for (let each = 0; each < 9; each++) {
    const { taskId } = await submit(ctx, { userId, fileId })
    await cancelTask(ctx, { userId, taskId })
    if (each < 3 || each > 5) ctx.advance(1000)
  }
  await submit(ctx, { userId: (await createUser(ctx)).id })
  const rows = await ctx.db.$client<{ id: string }[]>`
    select id from task where user_id = ${userId} order by created_at desc, id desc`
  ids = rows.map(({ id }) => id)
})

async function page(request: Partial<Parameters<typeof listTasks>[1]>) {
  const answer = await listTasks(ctx, { userId, limit: 2, ...request })
  if (answer === 'INVALID_INPUT') throw new Error(answer)
  return answer
}

describe('the list', () => {
  it('goes through all tasks toward older and back toward newer, losing and repeating none', async () => {
    const older: string[] = []
    let here = await page({})
    expect(here.previousCursor).toBeNull()
    for (;;) {
      older.push(...here.tasks.map(({ id }) => id))
      if (!here.nextCursor) break
      here = await page({ after: here.nextCursor })
    }
    expect(older).toEqual(ids)

    const newer = here.tasks.map(({ id }) => id)
    while (here.previousCursor) {
      here = await page({ before: here.previousCursor })
      newer.unshift(...here.tasks.map(({ id }) => id))
    }
    expect(newer).toEqual(ids)
    expect(here.nextCursor).not.toBeNull()
  })

  it('shows one status', async () => {
    expect((await page({ status: 'canceled', limit: 100 })).tasks).toHaveLength(9)
    expect((await page({ status: 'running', limit: 100 })).tasks).toEqual([])
  })

  it.each(['x', '', '%00', 'bm90IGEgY3Vyc29y', 'eyJhIjoxfQ'])(
    'refuses a broken cursor: %j',
    async (cursor) => {
      expect(await listTasks(ctx, { userId, after: cursor || 'e30' })).toBe('INVALID_INPUT')
    },
  )
})

describe('one task', () => {
  it('shows its attempts and its result to its owner, and nothing to anybody else', async () => {
    const task = await submit(ctx)
    await consumeMessages(ctx, [queueMessage({ taskId: task.taskId, dispatchVersion: 1 })])
    const detail = await getTask(ctx, task)
    expect(detail).toMatchObject({
      status: 'succeeded',
      attempts: [{ outcome: 'succeeded' }],
      result: { type: 'text/plain', size: 8 },
      inputAvailable: true,
      can: { cancel: false, retry: false },
    })
    expect(detail!.resultExpiresAt!.getTime() - detail!.finishedAt!.getTime()).toBe(7 * 24 * 60 * 60_000)
    for (const query of [getTask, getTaskStatus]) {
      expect(await query(ctx, { userId, taskId: task.taskId })).toBeNull()
      expect(await query(ctx, { ...task, taskId: crypto.randomUUID() })).toBeNull()
    }
  })

  it('has no lease, token, digest, fingerprint or delivery version in it', async () => {
    const task = await submit(ctx)
    const text = JSON.stringify([await getTask(ctx, task), await getTaskStatus(ctx, task)])
    expect(text).not.toMatch(/lease|token|sha|fingerprint|dispatch/i)
  })
})
