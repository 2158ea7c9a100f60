import { drizzle } from 'drizzle-orm/postgres-js'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppContext } from '../context.server'
import { cleanStorage, setDueFilesAside } from '../files/cleanup.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { claim, queueMessage, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { cancelTask } from './cancellation.server'
import { claimTasks } from './claim.server'
import { receiveDeadLetters } from './dead-letters.server'
import { deliverDue } from './delivery.server'
import { taskOverview } from './overview.server'
import { getTask, getTaskStatus, listTasks } from './queries.server'
import { recoverExpiredLeases } from './recovery.server'
import { renewLeases } from './renewal.server'
import { publishResult, reserveResult, setStrayResultsAside, type Reservation } from './results.server'
import { retryTask } from './retry.server'
import { submitTask } from './submission.server'

const database = testDatabase()
let ctx: TestContext
/** The same world on a connection that writes its statements down. */
let watched: AppContext
const statements: string[] = []
let client: postgres.Sql

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  client = postgres(database.url, {
    max: 1,
    fetch_types: false,
    debug: (_, text) => void statements.push(text),
  })
  watched = { ...ctx, db: drizzle({ client }) }
})
afterAll(() => client.end())

async function statementsOf(operation: () => Promise<unknown>): Promise<number> {
  statements.length = 0
  await operation()
  return statements.length
}

const result = { bytes: new TextEncoder().encode('out'), type: 'text/plain', name: 'out.txt' }

async function reserved() {
  const task = await submit(ctx)
  const lease = await claim(ctx, task.taskId)
  return { ...task, lease, reservation: (await reserveResult(ctx, lease, result)) as Reservation }
}

/** Operation, as docs/tasks.md calls it → how many statements it takes, beyond the session's one. */
const OPERATIONS: Record<string, [number, () => Promise<() => Promise<unknown>>]> = {
  'submit, and the record of its delivery': [
    2,
    async () => {
      const userId = (await createUser(ctx)).id
      const fileId = (await createFile(ctx, { userId })).id
      const request = {
        userId,
        fileId,
        requestKey: crypto.randomUUID(),
        processor: 'text-normalize',
        params: {},
      }
      return () => submitTask(watched, request)
    },
  ],
  'claim a batch of ten': [
    1,
    async () => {
      const messages: { taskId: string; dispatchVersion: number }[] = []
      for (let each = 0; each < 10; each++) {
        messages.push({ taskId: (await submit(ctx)).taskId, dispatchVersion: 1 })
      }
      return () => claimTasks(watched, messages, { alone: false })
    },
  ],
  'renew all leases of an invocation': [
    1,
    async () => {
      const leases = [await reserved(), await reserved()].map(({ lease }) => ({ lease, report: null }))
      return () => renewLeases(watched, leases)
    },
  ],
  'reserve a result': [
    1,
    async () => {
      const lease = await claim(ctx, (await submit(ctx)).taskId)
      return () => reserveResult(watched, lease, result)
    },
  ],
  'publish a result': [
    1,
    async () => {
      const { lease, reservation } = await reserved()
      return () => publishResult(watched, lease, reservation)
    },
  ],
  'end an attempt': [
    1,
    async () => {
      const { lease } = await reserved()
      return () => endAttempt(watched, lease, { code: 'INPUT_NOT_UTF8' })
    },
  ],
  'end an attempt, and the record of the next delivery': [
    2,
    async () => {
      const { lease } = await reserved()
      return () => endAttempt(watched, lease, { code: 'STORAGE_UNAVAILABLE' })
    },
  ],
  cancel: [
    1,
    async () => {
      const task = await submit(ctx)
      return () => cancelTask(watched, task)
    },
  ],
  'retry, and the record of its delivery': [
    2,
    async () => {
      const task = await submit(ctx)
      await endAttempt(ctx, await claim(ctx, task.taskId), { code: 'STORAGE_FULL' })
      return () => retryTask(watched, { ...task, attempts: 1 })
    },
  ],
  'record a dead letter': [
    1,
    async () => {
      const { taskId } = await submit(ctx)
      return () => receiveDeadLetters(watched, 'dead', [queueMessage({ taskId, dispatchVersion: 1 })])
    },
  ],
  'poll a status': [
    1,
    async () => {
      const task = await submit(ctx)
      return () => getTaskStatus(watched, task)
    },
  ],
  'show a task': [
    1,
    async () => {
      const task = await submit(ctx)
      return () => getTask(watched, task)
    },
  ],
  'list a page': [
    1,
    async () => {
      const { userId } = await submit(ctx)
      return () => listTasks(watched, { userId, status: 'queued' })
    },
  ],
  'count tasks by status, and what needs attention': [
    1,
    async () => {
      const { userId } = await submit(ctx)
      return () => taskOverview(watched, userId)
    },
  ],
  'a maintenance round with nothing due': [
    5,
    async () => {
      await ctx.db.$client`delete from "user"`
      await ctx.db.$client`delete from object_trash`
      return async () => {
        await recoverExpiredLeases(watched)
        await setStrayResultsAside(watched)
        await deliverDue(watched)
        await setDueFilesAside(watched)
        await cleanStorage(watched)
      }
    },
  ],
}

describe('the statements of an operation', () => {
  it.each(Object.entries(OPERATIONS))('%s', async (_, [count, prepare]) => {
    const operation = await prepare()
    expect(await statementsOf(operation)).toBe(count)
  })

  it('stand in docs/tasks.md', () => {
    const text = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8')
    const listed = [...text.matchAll(/^\| (.+?) +\| (\d+) +\|$/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ])
    expect(listed).toEqual(Object.entries(OPERATIONS).map(([name, [count]]) => [name, count]))
  })
})
