import { beforeEach, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { claim, queueMessage, readAttempts, readTask, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { receiveDeadLetters } from './dead-letters.server'
import { deliverDue } from './delivery.server'
import { recoverExpiredLeases } from './recovery.server'
import { retryTask } from './retry.server'

const QUEUE = 'millrace-tasks-dead'
const database = testDatabase()
let ctx: TestContext

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  await ctx.db.$client`delete from "user"`
  await ctx.db.$client`delete from task_dead_letter`
})

async function receipts() {
  return ctx.db.$client<{ class: string; task_id: string | null; dispatch_version: number | null }[]>`
    select class, task_id, dispatch_version from task_dead_letter order by received_at, id`
}

describe('a dead letter', () => {
  it('of a waiting task’s current delivery fails the task, which a person may retry', async () => {
    const { taskId, userId } = await submit(ctx)
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await receiveDeadLetters(ctx, QUEUE, [message])
    expect(message.settled).toBe('ack')
    expect(await receipts()).toEqual([{ class: 'applied', task_id: taskId, dispatch_version: 1 }])
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'failed',
      error_code: 'DELIVERY_EXHAUSTED',
      attempt_count: 0,
      pinned: false,
    })
    ctx.advance(24 * 60 * 60_000)
    expect(await deliverDue(ctx)).toBe(0)
    expect(await retryTask(ctx, { userId, taskId, attempts: 0 })).toBe('retried')
    expect(await receipts()).toHaveLength(1)
  })

  it('delivered again changes nothing, also after the task was retried', async () => {
    const { taskId, userId } = await submit(ctx)
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await receiveDeadLetters(ctx, QUEUE, [message])
    await retryTask(ctx, { userId, taskId, attempts: 0 })
    const again = { ...message, settled: null }
    await receiveDeadLetters(ctx, QUEUE, [again])
    expect(await receipts()).toHaveLength(1)
    expect((await readTask(ctx, taskId)).status).toBe('queued')
  })

  it('of a running task’s delivery leaves the lease, and keeps a later failure from retrying by itself', async () => {
    const { taskId } = await submit(ctx)
    const lease = await claim(ctx, taskId)
    await receiveDeadLetters(ctx, QUEUE, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect((await receipts())[0]?.class).toBe('deferred')
    expect((await readTask(ctx, taskId)).status).toBe('running')
    expect(await endAttempt(ctx, lease, { code: 'STORAGE_UNAVAILABLE' })).toBe('failed')
    expect((await readTask(ctx, taskId)).error_code).toBe('STORAGE_UNAVAILABLE')
    expect(await readAttempts(ctx, taskId)).toHaveLength(1)
  })

  it('of a running task’s delivery keeps the end of its lease from retrying by itself', async () => {
    const { taskId } = await submit(ctx)
    await claim(ctx, taskId)
    await receiveDeadLetters(ctx, QUEUE, [queueMessage({ taskId, dispatchVersion: 1 })])
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'failed',
      error_code: 'LEASE_EXPIRED',
      pinned: false,
    })
    expect(await readAttempts(ctx, taskId)).toMatchObject([{ outcome: 'lease_lost' }])
  })

  it('of an older delivery does not end a newer one', async () => {
    const { taskId } = await submit(ctx)
    ctx.advance(120_000)
    await deliverDue(ctx)
    await receiveDeadLetters(ctx, QUEUE, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect((await receipts())[0]?.class).toBe('stale')
    expect((await readTask(ctx, taskId)).status).toBe('queued')
  })

  it('of nothing we know leaves a receipt without the id or the body', async () => {
    await receiveDeadLetters(ctx, QUEUE, [
      queueMessage({ taskId: crypto.randomUUID(), dispatchVersion: 1 }),
      queueMessage({ secret: 'body' }),
    ])
    expect((await receipts()).sort((a, b) => a.class.localeCompare(b.class))).toEqual([
      { class: 'invalid', task_id: null, dispatch_version: null },
      { class: 'missing', task_id: null, dispatch_version: null },
    ])
  })

  it('of a processor version that this Worker does not know says so', async () => {
    const { taskId } = await submit(ctx)
    await ctx.db.$client`update task set processor_version = 99 where id = ${taskId}`
    await receiveDeadLetters(ctx, QUEUE, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect((await readTask(ctx, taskId)).error_code).toBe('PROCESSOR_UNAVAILABLE')
  })

  it('that cannot be recorded is retried and keeps no other from being recorded', async () => {
    const [bad, good] = [await submit(ctx), await submit(ctx)]
    await ctx.db.$client.unsafe(`
      create function refuse_receipt() returns trigger language plpgsql as $$
      begin if new.task_id = '${bad.taskId}' then raise exception 'refused'; end if; return new; end $$;
      create trigger refuse_receipt before insert on task_dead_letter for each row execute function refuse_receipt()`)
    const messages = [bad, good].map(({ taskId }) => queueMessage({ taskId, dispatchVersion: 1 }))
    await receiveDeadLetters(ctx, QUEUE, messages)
    await ctx.db.$client.unsafe(
      'drop trigger refuse_receipt on task_dead_letter; drop function refuse_receipt()',
    )
    expect(messages.map(({ settled }) => settled)).toEqual([{ retryAfter: undefined }, 'ack'])
    expect((await readTask(ctx, bad.taskId)).status).toBe('queued')
  })

  it('and a claim of the same message at once leave one consistent outcome', async () => {
    for (let round = 0; round < 20; round++) {
      const { taskId } = await submit(ctx)
      const other = await testContext(database, { clock: ctx.clock })
      const [claimed] = await Promise.allSettled([
        claim(ctx, taskId),
        receiveDeadLetters(other, QUEUE, [queueMessage({ taskId, dispatchVersion: 1 })]),
      ])
      const task = await readTask(ctx, taskId)
      expect(task.status).toBe(claimed.status === 'fulfilled' ? 'running' : 'failed')
      expect(task.automatic_retry).toBe(claimed.status !== 'fulfilled')
    }
  })
})
