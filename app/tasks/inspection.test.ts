import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { refuseUpdates } from '../testing/holds'
import { claim, queueMessage, readTask, submit } from '../testing/tasks'
import { receiveDeadLetters } from './dead-letters.server'
import { inspectTask, nextStep } from './inspection.server'
import { settleTask } from './reconciliation.server'
import { recoverExpiredLeases } from './recovery.server'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
})

async function reconciling() {
  const task = await submit(ctx)
  await ctx.db.$client`update task set deterministic = false where id = ${task.taskId}`
  await claim(ctx, task.taskId)
  ctx.advance(120_000)
  while ((await recoverExpiredLeases(ctx)) > 0);
  return task
}

/** The operator's command, as it is typed. */
function command(...words: string[]) {
  return spawnSync('node_modules/.bin/tsx', ['scripts/task.ts', ...words], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: database.url },
  })
}

describe('an operator who asks why a task is stuck', () => {
  it('is told where it stands and what comes next', async () => {
    const { taskId } = await submit(ctx)
    const queued = (await inspectTask(ctx, taskId))!
    expect(nextStep(queued)).toMatchObject({
      what: expect.stringContaining('delivers again'),
      at: queued.task.nextDeliveryAt,
    })
    expect(queued.pin).toMatchObject({ state: 'ready' })

    await claim(ctx, taskId)
    await receiveDeadLetters(ctx, 'dead', [queueMessage({ taskId, dispatchVersion: 1 })])
    const running = (await inspectTask(ctx, taskId))!
    expect(running).toMatchObject({
      task: { status: 'running', automaticRetry: false },
      attempts: [{ leaseVersion: 1, outcome: null }],
      deadLetters: [{ class: 'deferred', dispatchVersion: 1 }],
    })
    expect(nextStep(running).what).toContain('lease has run out')
  })

  it('is told that maintenance could not recover it, and when it tries again', async () => {
    const { taskId } = await submit(ctx)
    await claim(ctx, taskId)
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [taskId], of: 'status' })
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    await accept()
    const stuck = (await inspectTask(ctx, taskId))!
    expect(nextStep(stuck)).toEqual({
      what: expect.stringContaining('1 try; why is in the log as task.recover_failed') as string,
      at: stuck.task.nextRecoveryAt,
    })
    expect(Date.parse(stuck.task.nextRecoveryAt!)).toBe(ctx.clock.now!.getTime() + 60_000)
  })

  it('settles a task that waits for a decision, once', async () => {
    const { taskId } = await reconciling()
    const settlement = { taskId, as: 'failed', reason: 'nothing was sent' } as const
    expect(await settleTask(ctx, settlement)).toBe('settled')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'failed',
      error_code: 'RECONCILED',
      pinned: false,
    })
    expect(await settleTask(ctx, { ...settlement, as: 'canceled' })).toBe('NOT_RECONCILING')
  })

  it('does all of that with one command', async () => {
    const { taskId } = await reconciling()
    expect(command(taskId).stdout).toMatch(/Status +reconciling, LEASE_EXPIRED/)
    expect(command('settle', taskId, 'canceled', '--reason', 'asked').stdout).toMatch(
      /Status +canceled[\s\S]+Settled +asked/,
    )
    expect(command('settle', taskId, 'failed', '--reason', 'again')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not reconciling'),
    })
    expect(command('settle', taskId)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--reason'),
    })
  })
})
