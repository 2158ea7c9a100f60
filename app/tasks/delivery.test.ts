import { beforeEach, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { refuseUpdates } from '../testing/holds'
import { claim, queueMessage, readTask, submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { consumeMessages } from './consumer.server'
import { deliverDue, sendDeliveries } from './delivery.server'

const MINUTE = 60_000
const database = testDatabase()
let ctx: TestContext

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  // Each test sees only its own tasks as due.
  await ctx.db.$client`delete from "user"`
})

describe('delivering', () => {
  it('delivers again what nobody claims after 2, 4, 8 … and at most 30 minutes', async () => {
    const { taskId } = await submit(ctx)
    for (const minutes of [2, 4, 8, 16, 30, 30]) {
      ctx.advance(minutes * MINUTE - 1)
      expect(await deliverDue(ctx)).toBe(0)
      ctx.advance(1)
      expect(await deliverDue(ctx)).toBe(1)
    }
    expect(ctx.sent.map((message) => message.dispatchVersion)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await readTask(ctx, taskId)).status).toBe('queued')
  })

  it('delivers again 30 seconds after a send that failed, and uses up no attempt', async () => {
    ctx.failNextSends(1)
    const { taskId } = await submit(ctx)
    ctx.advance(29_999)
    expect(await deliverDue(ctx)).toBe(0)
    ctx.advance(1)
    expect(await deliverDue(ctx)).toBe(1)
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'queued',
      attempt_count: 0,
      send_failed_count: 1,
    })
  })

  it('ends a task that waited for 24 hours, and keeps what it used up', async () => {
    const { taskId } = await submit(ctx)
    ctx.advance(24 * 60 * MINUTE)
    await deliverDue(ctx)
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'failed',
      error_code: 'DELIVERY_EXHAUSTED',
      attempt_count: 0,
      pinned: false,
    })
  })

  it('is not kept from others by a task that refuses every write', async () => {
    const [bad, good] = [await submit(ctx), await submit(ctx)]
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [bad.taskId] })
    ctx.advance(2 * MINUTE)
    await deliverDue(ctx)
    await accept()
    expect(ctx.sent.slice(2)).toMatchObject([{ taskId: good.taskId, dispatchVersion: 2 }])
  })

  it('moves a task that waited too long and cannot be ended back in its line', async () => {
    const { taskId } = await submit(ctx)
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [taskId], of: 'status' })
    ctx.advance(24 * 60 * MINUTE)
    expect(await deliverDue(ctx)).toBe(1)
    expect(await deliverDue(ctx)).toBe(0)
    await accept()
    ctx.advance(30 * MINUTE)
    expect(await deliverDue(ctx)).toBe(1)
    expect((await readTask(ctx, taskId)).error_code).toBe('DELIVERY_EXHAUSTED')
    expect(ctx.sent).toHaveLength(1)
  })

  it('does not let a late sender put a running or ended task back to queued', async () => {
    ctx.failNextSends(1)
    const { taskId, userId } = await submit(ctx)
    ctx.advance(30_000)
    const late = await testContext(database, { clock: ctx.clock })
    const held: (() => void)[] = []
    late.queue = {
      ...late.queue!,
      send: () => new Promise((resolve) => held.push(() => resolve({} as QueueSendResponse))),
    }
    const sending = deliverDue(late)
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))

    await claim(ctx, taskId)
    held.forEach((send) => send())
    await sending
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'running', delivery_token: null })

    await cancelTask(ctx, { userId, taskId })
    await sendDeliveries(ctx, [{ taskId, dispatchVersion: 2, token: crypto.randomUUID() }])
    expect((await readTask(ctx, taskId)).status).toBe('running')
  })

  it('gives two rounds at once different tasks', async () => {
    for (let each = 0; each < 6; each++) await submit(ctx, { userId: (await createUser(ctx)).id })
    ctx.advance(2 * MINUTE)
    const other = await testContext(database, { clock: ctx.clock })
    const taken = await Promise.all([deliverDue(ctx), deliverDue(other)])
    expect(taken[0]! + taken[1]!).toBe(6)
    const again = [...ctx.sent, ...other.sent].filter((message) => message.dispatchVersion === 2)
    expect(new Set(again.map((message) => message.taskId)).size).toBe(6)
  })

  it('runs each task of a backlog once, however often it was delivered again', async () => {
    for (let each = 0; each < 25; each++) await submit(ctx, { userId: (await createUser(ctx)).id })
    ctx.advance(2 * MINUTE)
    while ((await deliverDue(ctx)) >= 20);
    ctx.advance(4 * MINUTE)
    while ((await deliverDue(ctx)) >= 20);
    expect(ctx.sent).toHaveLength(75)
    for (let start = 0; start < 75; start += 10) {
      await consumeMessages(
        ctx,
        ctx.sent
          .slice(start, start + 10)
          .map(({ taskId, dispatchVersion }) => queueMessage({ taskId, dispatchVersion })),
      )
    }
    const runs = await ctx.db.$client<{ outcome: string }[]>`select outcome from task_attempt`
    expect(runs.map((run) => run.outcome)).toEqual(Array(25).fill('succeeded'))
  })

  it('drains a backlog of thousands that is older than the redelivery interval, running each task once', async () => {
    const TASKS = 2000
    const first = await submit(ctx)
    await ctx.db.$client`
      with copies as (select gen_random_uuid() as id, n from generate_series(2, ${TASKS}) n),
           accounts as (insert into "user" (id, name, email) select id, 'Ada', id || '@example.test' from copies returning id),
           files as (
             insert into file (id, user_id, name, content_type, byte_size, sha256, object_key, state, expires_at, next_try_at)
             select c.id, c.id, f.name, f.content_type, f.byte_size, f.sha256, f.object_key || c.n, 'ready', f.expires_at, f.next_try_at
               from copies c, file f where f.id = ${first.fileId}
           ), pins as (insert into task_input_pin (task_id, file_id) select id, id from copies)
      insert into task (id, user_id, request_key, fingerprint, processor, processor_version, deterministic, params,
                        input_file_id, input_name, input_type, input_size, input_sha256, status, max_attempts,
                        dispatch_version, dispatch_floor, next_delivery_at, waiting_since, queued_at, created_at, updated_at)
      select c.id, c.id, c.id, t.fingerprint, t.processor, t.processor_version, t.deterministic, t.params,
             c.id, t.input_name, t.input_type, t.input_size, t.input_sha256, 'queued', t.max_attempts,
             1, 1, t.next_delivery_at, t.waiting_since, t.created_at, t.created_at, t.created_at
        from copies c, task t where t.id = ${first.taskId}`
    const oneObject = { ...ctx, storage: sharing(new TextEncoder().encode('one\r\ntwo\r\n')) }

    // Nothing was consumed for ten minutes, and everything was delivered again twice.
    for (let round = 0; round < 2; round++) {
      ctx.advance(5 * MINUTE)
      while ((await deliverDue(ctx)) >= 20);
    }
    expect(ctx.sent.length).toBeGreaterThan(2 * TASKS)
    for (let start = 0; start < ctx.sent.length; start += 100) {
      const batch = ctx.sent.slice(start, start + 100)
      await consumeMessages(
        oneObject,
        batch.map(({ taskId, dispatchVersion }) => queueMessage({ taskId, dispatchVersion })),
      )
    }
    const [runs] = await ctx.db.$client`
      select count(*)::integer as runs, count(distinct task_id)::integer as tasks,
             count(*) filter (where outcome = 'succeeded')::integer as succeeded from task_attempt`
    expect(runs).toEqual({ runs: TASKS, tasks: TASKS, succeeded: TASKS })
  }, 60_000)
})

/** A bucket in memory, in which one object stands for the inputs of all copies: the queue and the rows are what is tried. */
function sharing(bytes: Uint8Array): R2Bucket {
  const object = { size: bytes.length, arrayBuffer: () => Promise.resolve(bytes.slice().buffer) }
  return { get: () => Promise.resolve(object), put: () => Promise.resolve({}) } as unknown as R2Bucket
}
