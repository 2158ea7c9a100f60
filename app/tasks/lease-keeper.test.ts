import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { claim, queueMessage, readTask, submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { consumeMessages } from './consumer.server'
import { LeaseKeeper } from './lease-keeper.server'
import { textNormalize } from './processors/text-normalize.server'
import { recoverExpiredLeases } from './recovery.server'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function held() {
  const task = await submit(ctx)
  const lease = await claim(ctx, task.taskId)
  const keeper = new LeaseKeeper(ctx)
  return { ...task, lease, keeper, hold: keeper.hold(lease) }
}

async function leaseEnd(taskId: string) {
  const [row] = await ctx.db.$client<
    { ends: string }[]
  >`select lease_expires_at as ends from task where id = ${taskId}`
  return new Date(row!.ends).getTime() - ctx.clock.now!.getTime()
}

describe('a worker that holds leases', () => {
  it('renews them every 30 seconds, and stops when the last is released', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { taskId, lease, keeper } = await held()
    ctx.advance(30_000)
    vi.advanceTimersByTime(30_000)
    await keeper.renew()
    expect(await leaseEnd(taskId)).toBe(120_000)
    keeper.release(lease)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is told to stop when its owner wants the task canceled, and still holds the lease', async () => {
    const { taskId, userId, lease, keeper, hold } = await held()
    await keeper.renew()
    expect(hold.signal.aborted).toBe(false)
    await cancelTask(ctx, { userId, taskId })
    await keeper.renew()
    expect(hold.signal.reason).toBe('cancel_requested')
    expect((await readTask(ctx, taskId)).status).toBe('running')
    keeper.release(lease)
  })

  it('is told to stop when its lease is lost, and reports no progress any more', async () => {
    const { taskId, lease, keeper, hold } = await held()
    ctx.advance(120_000)
    while ((await recoverExpiredLeases(ctx)) > 0);
    hold.report({ stage: 'late', done: 1, total: 2, unit: 'bytes' })
    await keeper.renew()
    expect(hold.signal.reason).toBe('lost')
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'retry_wait', stage: null })
    keeper.release(lease)
  })

  it('writes a change of stage at once, and progress within a stage at most every five seconds', async () => {
    const { taskId, lease, keeper, hold } = await held()
    const done = async () => {
      await keeper.renew()
      const [row] = await ctx.db
        .$client`select stage, progress_done::int as done from task where id = ${taskId}`
      return row
    }
    const statements = vi.spyOn(keeper, 'renew')
    hold.report({ stage: 'parse', done: 1, total: 9, unit: 'pages' })
    for (let page = 2; page <= 9; page++) hold.report({ stage: 'parse', done: page, total: 9, unit: 'pages' })
    expect(statements).toHaveBeenCalledTimes(1)
    hold.report({ stage: 'chunk', done: 0, total: 3, unit: 'chunks' })
    expect(statements).toHaveBeenCalledTimes(2)
    expect(await done()).toEqual({ stage: 'chunk', done: 0 })
    keeper.release(lease)
  })

  it('goes on when a renewal fails, because the lease outlasts three of them', async () => {
    const { lease, keeper, hold } = await held()
    const broken = new LeaseKeeper({ ...ctx, db: (await testContext(database, { clock: ctx.clock })).db })
    const holdOfBroken = broken.hold(lease)
    await (broken as unknown as { ctx: TestContext }).ctx.db.$client.end()
    await broken.renew()
    expect(holdOfBroken.signal.aborted).toBe(false)
    broken.release(lease)
    await keeper.renew()
    expect(hold.signal.aborted).toBe(false)
    keeper.release(lease)
  })
})

describe('a running processor whose task is canceled', () => {
  it('stops early, and the task ends canceled with its pin released', async () => {
    const { taskId, userId } = await submit(ctx)
    let stoppedEarly = false
    vi.spyOn(textNormalize, 'run').mockImplementation(async ({ signal, report }) => {
      await cancelTask(ctx, { userId, taskId })
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      report({ stage: 'work', done: 1, total: 2, unit: 'bytes' })
      await stopped
      stoppedEarly = true
      signal.throwIfAborted()
      throw new Error('went on')
    })
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await consumeMessages(ctx, [message])
    expect(stoppedEarly).toBe(true)
    expect(message.settled).toBe('ack')
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'canceled', pinned: false, error_code: null })
  })
})

describe('the log', () => {
  it('tells what happened to a task in events with its versions, and nothing of its contents', async () => {
    ctx.logged.length = 0
    const { taskId } = await submit(ctx, { text: 'very secret text\r\n' })
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    const own = ctx.logged.filter(({ fields }) => fields.taskId === taskId)
    expect(own).toEqual([
      { event: 'task.submit', fields: { taskId, outcome: 'created', processor: 'text-normalize' } },
      { event: 'task.claim', fields: { taskId, dispatchVersion: 1, leaseVersion: 1, outcome: 'claimed' } },
      {
        event: 'task.publish',
        fields: { taskId, leaseVersion: 1, outcome: 'published', milliseconds: expect.any(Number) as number },
      },
    ])
    expect(JSON.stringify(ctx.logged)).not.toMatch(/secret|notes\.txt|[0-9a-f]{64}/)
  })

  it('says of an unexpected error its class and code, never its message', async () => {
    ctx.logged.length = 0
    const { taskId } = await submit(ctx)
    vi.spyOn(textNormalize, 'run').mockRejectedValue(
      Object.assign(new RangeError('secret row 42'), { code: '22003' }),
    )
    await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
    const text = JSON.stringify(ctx.logged)
    expect(text).toContain('"error":"RangeError","code":"22003"')
    expect(text).not.toContain('secret')
    expect((await readTask(ctx, taskId)).status).toBe('retry_wait')
  })
})
