import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createUser } from '../testing/factories'
import { claim, readAttempts, readTask, submit } from '../testing/tasks'
import { cancelTask } from './cancellation.server'
import { claimTasks } from './claim.server'
import { recoverExpiredLeases } from './recovery.server'
import { renewLeases } from './renewal.server'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
})

const together = { alone: false }

describe('claiming', () => {
  it('takes a lease of two minutes, writes the attempt and clears the delivery', async () => {
    const { taskId } = await submit(ctx)
    const [claimed] = await claimTasks(ctx, [{ taskId, dispatchVersion: 1 }], together)
    expect(claimed).toMatchObject({ outcome: 'claimed', lease: { taskId, version: 1, attempt: 1 } })
    const [row] = await ctx.db.$client<{ lease_ends: string }[]>`
      select lease_expires_at - ${ctx.clock.now!.toISOString()}::timestamptz as lease_ends from task where id = ${taskId}`
    expect(row?.lease_ends).toBe('00:02:00')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'running',
      delivery_token: null,
      next_delivery_at: null,
    })
    expect(await readAttempts(ctx, taskId)).toEqual([{ lease_version: 1, outcome: null, error_code: null }])
  })

  it('lets one of eight claims of the same message win', async () => {
    const { taskId } = await submit(ctx)
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => testContext(database, { clock: ctx.clock })),
    )
    const claims = await Promise.all(
      sessions.map((session) => claimTasks(session, [{ taskId, dispatchVersion: 1 }], together)),
    )
    const outcomes = claims.flat().map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1)
    expect(await readAttempts(ctx, taskId)).toHaveLength(1)
  })

  it('claims the same tasks in opposite order at once without a deadlock, each once', async () => {
    for (let round = 0; round < 5; round++) {
      const tasks = []
      for (let each = 0; each < 10; each++) tasks.push(await submit(ctx))
      const messages = tasks.map(({ taskId }) => ({ taskId, dispatchVersion: 1 }))
      const [one, other] = await Promise.all([
        testContext(database, { clock: ctx.clock }),
        testContext(database, { clock: ctx.clock }),
      ])
      const claims = await Promise.all([
        claimTasks(one, messages, together),
        claimTasks(other, [...messages].reverse(), together),
      ])
      const claimed = claims.flat().filter(({ outcome }) => outcome === 'claimed')
      expect(new Set(claimed.map(({ taskId }) => taskId)).size).toBe(10)
      expect(claimed).toHaveLength(10)
    }
  })

  it.each([
    ['a running task', async (taskId: string) => void (await claim(ctx, taskId))],
    [
      'a canceled task',
      async (taskId: string, userId: string) => void (await cancelTask(ctx, { userId, taskId })),
    ],
  ])('finds nothing to do for a message of %s', async (_, spoil) => {
    const { taskId, userId } = await submit(ctx)
    await spoil(taskId, userId)
    const claims = await claimTasks(ctx, [{ taskId, dispatchVersion: 1 }], together)
    expect(claims).toEqual([{ outcome: 'stale', taskId }])
  })

  it('finds nothing to do for a task that does not exist, or a version that was never sent', async () => {
    const { taskId } = await submit(ctx)
    const missing = crypto.randomUUID()
    const claims = await claimTasks(
      ctx,
      [
        { taskId, dispatchVersion: 2 },
        { taskId: missing, dispatchVersion: 1 },
      ],
      together,
    )
    expect(claims.map(({ outcome }) => outcome)).toEqual(['stale', 'stale'])
  })

  it('leaves a processor version alone that this Worker does not know', async () => {
    const { taskId } = await submit(ctx)
    await ctx.db.$client`update task set processor_version = 99 where id = ${taskId}`
    expect(await claimTasks(ctx, [{ taskId, dispatchVersion: 1 }], together)).toEqual([
      { outcome: 'unknown_processor', taskId },
    ])
  })

  it('claims a task whose last attempt lost its lease only alone, and after the end of that lease only by a newer message', async () => {
    const { taskId } = await submit(ctx)
    await claim(ctx, taskId)
    ctx.advance(120_000)
    while ((await recoverExpiredLeases(ctx)) > 0);
    expect(await claimTasks(ctx, [{ taskId, dispatchVersion: 1 }], { alone: true })).toEqual([
      { outcome: 'stale', taskId },
    ])
    expect(await claimTasks(ctx, [{ taskId, dispatchVersion: 2 }], together)).toEqual([
      { outcome: 'later', taskId, alone: true },
    ])
    const [claimed] = await claimTasks(ctx, [{ taskId, dispatchVersion: 2 }], { alone: true })
    expect(claimed).toMatchObject({ outcome: 'claimed', lease: { version: 2, attempt: 2 } })
  })

  it('takes no more input bytes at once than fit into memory, and the rest in later rounds', async () => {
    const tasks = []
    for (let each = 0; each < 3; each++) {
      const task = await submit(ctx)
      await ctx.db.$client`update task set input_size = ${7 * 1024 * 1024} where id = ${task.taskId}`
      tasks.push(task)
    }
    const claims = await claimTasks(
      ctx,
      tasks.map(({ taskId }) => ({ taskId, dispatchVersion: 1 })),
      together,
    )
    expect(claims.map(({ outcome }) => outcome).sort()).toEqual(['claimed', 'claimed', 'later'])
  })
})

describe('renewing', () => {
  it('prolongs held leases, writes progress, and tells of a cancel request', async () => {
    const userId = (await createUser(ctx)).id
    const [one, other] = [await submit(ctx, { userId }), await submit(ctx, { userId })]
    const leases = [await claim(ctx, one.taskId), await claim(ctx, other.taskId)]
    await cancelTask(ctx, { userId, taskId: other.taskId })
    ctx.advance(30_000)
    const report = { stage: 'parse', done: 1, total: 4, unit: 'pages' }
    const outcomes = await renewLeases(ctx, [
      { lease: leases[0]!, report },
      { lease: leases[1]!, report: null },
    ])
    expect([...outcomes.values()]).toEqual(['renewed', 'cancel_requested'])
    const [row] = await ctx.db.$client`
      select stage, progress_done::integer as done, lease_expires_at - ${ctx.clock.now!.toISOString()}::timestamptz as ends
        from task where id = ${one.taskId}`
    expect(row).toEqual({ stage: 'parse', done: 1, ends: '00:02:00' })
  })

  it('tells a holder whose lease ran out or was taken over that it is lost', async () => {
    const { taskId } = await submit(ctx)
    const lease = await claim(ctx, taskId)
    ctx.advance(120_000)
    expect((await renewLeases(ctx, [{ lease, report: null }])).get(taskId)).toBe('lost')
    while ((await recoverExpiredLeases(ctx)) > 0);
    await claim(ctx, taskId)
    const report = { stage: 'late', done: 1, total: 1, unit: 'pages' }
    expect((await renewLeases(ctx, [{ lease, report }])).get(taskId)).toBe('lost')
    expect((await readTask(ctx, taskId)).stage).toBeNull()
  })

  it('lets no attempt outlive 15 minutes, however often it renews', async () => {
    const { taskId } = await submit(ctx)
    const lease = await claim(ctx, taskId)
    let elapsed = 0
    for (; elapsed < 20; elapsed += 1) {
      ctx.advance(60_000)
      if ((await renewLeases(ctx, [{ lease, report: null }])).get(taskId) === 'lost') break
    }
    expect(elapsed + 1).toBe(15)
  })
})
