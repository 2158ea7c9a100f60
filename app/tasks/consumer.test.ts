import { beforeEach, describe, expect, it } from 'vitest'
import type { AppContext } from '../context.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { refuseUpdates } from '../testing/holds'
import { claim, queueMessage, readAttempts, readResults, readTask, submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { consumeMessages } from './consumer.server'
import { deliverDue } from './delivery.server'
import { recoverExpiredLeases } from './recovery.server'

const database = testDatabase()
let ctx: TestContext

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  await ctx.db.$client`delete from "user"`
})

/** The site with a bucket of which one method does something else. */
function withStorage(overrides: Partial<Record<'get' | 'put', unknown>>): AppContext {
  const bucket = ctx.storage!
  return {
    ...ctx,
    storage: new Proxy(bucket, {
      get(target, name) {
        if (typeof name === 'string' && name in overrides) return overrides[name as 'get' | 'put']
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }
}

async function resultText(taskId: string): Promise<string | undefined> {
  const [file] = await readResults(ctx, taskId)
  const object = file && (await ctx.storage!.get(file.object_key))
  return object?.text()
}

describe('consuming', () => {
  it('runs a delivered task to its result and acknowledges its message', async () => {
    const { taskId } = await submit(ctx, { text: 'a \r\nb\t\rc', params: { trimTrailing: true } })
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await consumeMessages(ctx, [message])
    expect(message.settled).toBe('ack')
    expect((await readTask(ctx, taskId)).status).toBe('succeeded')
    expect(await resultText(taskId)).toBe('a\nb\nc')
  })

  it('knows a task by its id in capitals too', async () => {
    const { taskId } = await submit(ctx)
    const message = queueMessage({ taskId: taskId.toUpperCase(), dispatchVersion: 1 })
    await consumeMessages(ctx, [message])
    expect(message.settled).toBe('ack')
    expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })

  it('acknowledges duplicates, in one batch or later, and runs the task once', async () => {
    const { taskId } = await submit(ctx)
    const messages = [1, 1, 1].map((dispatchVersion) => queueMessage({ taskId, dispatchVersion }))
    await consumeMessages(ctx, messages.slice(0, 2))
    await consumeMessages(ctx, messages.slice(2))
    expect(messages.map(({ settled }) => settled)).toEqual(['ack', 'ack', 'ack'])
    expect(await readAttempts(ctx, taskId)).toHaveLength(1)
  })

  it('never runs what was canceled before it started', async () => {
    const { taskId, userId } = await submit(ctx)
    await cancelTask(ctx, { userId, taskId })
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await consumeMessages(ctx, [message])
    expect(message.settled).toBe('ack')
    expect(await readAttempts(ctx, taskId)).toEqual([])
  })

  it('keeps a retry that came too early for its time', async () => {
    const { taskId } = await submit(ctx)
    const broken = withStorage({ get: () => Promise.reject(new Error('down')) })
    await consumeMessages(broken, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect((await readTask(ctx, taskId)).status).toBe('retry_wait')
    ctx.advance(10_000)
    const early = queueMessage({ taskId, dispatchVersion: 2 })
    await consumeMessages(ctx, [early])
    expect(early.settled).toEqual({ retryAfter: 20 })
    ctx.advance(20_000)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 2 })])
    expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })

  it.each([
    [null],
    ['text'],
    [{}],
    [{ taskId: 'x', dispatchVersion: 1 }],
    [{ taskId: crypto.randomUUID() }],
    [{ taskId: crypto.randomUUID(), dispatchVersion: 2 ** 31 }],
    [[1]],
  ])('leaves a message that is not ours to the dead letters: %j', async (body) => {
    const message = queueMessage(body)
    await consumeMessages(ctx, [message])
    expect(message.settled).toEqual({ retryAfter: 10 })
  })

  it('retries a message for a processor version it does not know', async () => {
    const { taskId } = await submit(ctx)
    await ctx.db.$client`update task set processor_version = 99 where id = ${taskId}`
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await consumeMessages(ctx, [message])
    expect(message.settled).toEqual({ retryAfter: 10 })
    expect((await readTask(ctx, taskId)).attempt_count).toBe(0)
  })

  it('lets one row that the database refuses not keep its neighbours from running', async () => {
    const tasks = []
    for (let each = 0; each < 4; each++) tasks.push(await submit(ctx))
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [tasks[0]!.taskId] })
    const messages = tasks.map(({ taskId }) => queueMessage({ taskId, dispatchVersion: 1 }))
    await consumeMessages(ctx, messages)
    await accept()
    expect(messages.map(({ settled }) => settled)).toEqual([{ retryAfter: 10 }, 'ack', 'ack', 'ack'])
  })

  it('runs more input than fits into memory at once in several rounds', async () => {
    const userId = (await createUser(ctx)).id
    const tasks = []
    for (let each = 0; each < 3; each++)
      tasks.push(await submit(ctx, { userId, text: 'x'.repeat(7 * 1024 * 1024) }))
    await consumeMessages(
      ctx,
      tasks.map(({ taskId }) => queueMessage({ taskId, dispatchVersion: 1 })),
    )
    for (const { taskId } of tasks) expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })

  it('ends a task that kills its worker each time after its own budget, while its nine neighbours succeed', async () => {
    const tasks = []
    for (let each = 0; each < 10; each++) tasks.push(await submit(ctx))
    const killer = tasks[0]!.taskId
    // The worker dies in the middle of the batch: everything it had claimed loses its lease.
    for (const { taskId } of tasks) await claim(ctx, taskId)
    for (let round = 0; round < 3; round++) {
      ctx.advance(120_000)
      await recoverExpiredLeases(ctx)
      await deliverDue(ctx)
      const messages = ctx.sent.splice(0).map(({ taskId, dispatchVersion }) => ({ taskId, dispatchVersion }))
      for (const message of messages.filter(({ taskId }) => taskId !== killer)) {
        await consumeMessages(ctx, [queueMessage(message)])
      }
      if (messages.some(({ taskId }) => taskId === killer) && round < 2) await claim(ctx, killer)
    }
    expect(await readTask(ctx, killer)).toMatchObject({
      status: 'failed',
      error_code: 'LEASE_EXPIRED',
      attempt_count: 3,
    })
    for (const { taskId } of tasks.slice(1)) expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })
})

describe('an input', () => {
  it('whose stored bytes were tampered with ends the task as INPUT_CHANGED', async () => {
    const { taskId, fileId } = await submit(ctx, { text: 'original' })
    const [file] = await ctx.db.$client<
      { object_key: string }[]
    >`select object_key from file where id = ${fileId}`
    await ctx.storage!.put(file!.object_key, 'tampered')
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'failed', error_code: 'INPUT_CHANGED' })
  })

  it('whose object is gone ends the task as INPUT_MISSING', async () => {
    const { taskId, fileId } = await submit(ctx)
    const [file] = await ctx.db.$client<
      { object_key: string }[]
    >`select object_key from file where id = ${fileId}`
    await ctx.storage!.delete(file!.object_key)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'failed', error_code: 'INPUT_MISSING' })
  })

  it('that expired after it was accepted is still processed', async () => {
    const { taskId, fileId } = await submit(ctx)
    await ctx.db.$client`update file set expires_at = ${ctx.clock.now!.toISOString()} where id = ${fileId}`
    ctx.advance(60_000)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })

  it('that is not UTF-8 ends the task as INPUT_NOT_UTF8', async () => {
    const { taskId, fileId } = await submit(ctx, { text: 'abcd' })
    const bytes = new Uint8Array([0xff, 0xfe, 0x61, 0x00])
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const [file] = await ctx.db.$client<{ object_key: string }[]>`
      update file set sha256 = ${sha256} where id = ${fileId} returning object_key`
    await ctx.db.$client`update task set input_sha256 = ${sha256} where id = ${taskId}`
    await ctx.storage!.put(file!.object_key, bytes)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'failed', error_code: 'INPUT_NOT_UTF8' })
  })
})

describe('a result', () => {
  it('that cannot be written is tried again, and only this attempt’s own file is discarded', async () => {
    const { taskId } = await submit(ctx)
    await consumeMessages(withStorage({ put: () => Promise.reject(new Error('down')) }), [
      queueMessage({ taskId, dispatchVersion: 1 }),
    ])
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'retry_wait',
      error_code: 'STORAGE_UNAVAILABLE',
    })
    ctx.advance(30_000)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 2 })])
    expect((await readResults(ctx, taskId)).map(({ state }) => state)).toEqual(['deleting', 'ready'])
  })

  it('larger than the site keeps ends the task as RESULT_TOO_LARGE', async () => {
    const { taskId } = await submit(ctx)
    const small = { ...ctx, site: { ...ctx.site, files: { ...ctx.site.files, maxBytes: 3 } } }
    await consumeMessages(small, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'failed', error_code: 'RESULT_TOO_LARGE' })
  })
})

describe('a worker that dies', () => {
  /** A bucket and database of a worker that stops doing anything from its nth step on. */
  it('between claim and publish leaves a task that one later attempt finishes', async () => {
    const { taskId } = await submit(ctx, { text: 'x\r\n' })
    await claim(ctx, taskId)
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    const delivered = ctx.sent.at(-1)!
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: delivered.dispatchVersion })])
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    expect(await resultText(taskId)).toBe('x\n')
    expect(await readResults(ctx, taskId)).toHaveLength(1)
  })

  it('after it wrote its result leaves nothing visible of it, also when its write arrives late', async () => {
    const { taskId } = await submit(ctx, { text: 'x\r\n' })
    let finish: () => void = () => {}
    const hanging = withStorage({
      put: (key: string, value: Uint8Array) =>
        new Promise((resolve) => {
          finish = () => void ctx.storage!.put(key, value).then(resolve)
        }),
    })
    const dying = consumeMessages({ ...hanging, db: ctx.db }, [queueMessage({ taskId, dispatchVersion: 1 })])
    while ((await readResults(ctx, taskId)).length === 0)
      await new Promise((resolve) => setImmediate(resolve))
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 2 })])
    finish()
    await dying
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'succeeded', attempt_count: 2 })
    expect((await readResults(ctx, taskId)).map(({ state }) => state)).toEqual(['deleting', 'ready'])
    expect((await readAttempts(ctx, taskId)).map(({ outcome }) => outcome)).toEqual([
      'lease_lost',
      'succeeded',
    ])
  })
})
