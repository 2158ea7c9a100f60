import { beforeAll, describe, expect, it } from 'vitest'
import type { AppContext } from '../context.server'
import type { Database } from '../db/client.server'
import { cleanStorage } from '../files/cleanup.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { queueMessage, readAttempts, readResults, readTask, submit } from '../testing/tasks'
import { consumeMessages } from './consumer.server'
import { deliverDue } from './delivery.server'
import { recoverExpiredLeases } from './recovery.server'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
})

/** Claim, read the input, reserve, write the object, publish. */
const STEPS = 5

/**
 * An invocation that dies at its nth step to the outside, before the step has any effect or after it (its answer is
 * lost). From then on nothing of it happens any more.
 */
function dyingAt(step: number, when: 'before' | 'after') {
  let taken = 0
  let die: () => void = () => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  const never = new Promise<never>(() => {})

  async function take<T>(effect: () => Promise<T>): Promise<T> {
    taken += 1
    if (taken > step) return never
    if (taken < step) return effect()
    if (when === 'after') await effect()
    die()
    return never
  }
  const client = ctx.db.$client
  const dyingClient = new Proxy(client, {
    apply: (target, self, parts: Parameters<typeof client>) =>
      take(() => Promise.resolve(Reflect.apply(target, self, parts) as Promise<unknown>)),
  })
  const dyingBucket = new Proxy(ctx.storage!, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...parts: unknown[]) => take(() => Reflect.apply(method, target, parts) as Promise<unknown>)
    },
  })
  const dying: AppContext = {
    ...ctx,
    db: Object.assign(Object.create(ctx.db) as Database, { $client: dyingClient }),
    storage: dyingBucket,
  }
  return { dying, died, steps: () => taken }
}

/** What the minutes after a crash bring: recovery, redelivery and cleaning, until nothing is left to do. */
async function carryOn(taskId: string): Promise<void> {
  for (let minute = 0; minute < 8; minute++) {
    ctx.advance(60_000)
    await recoverExpiredLeases(ctx)
    await deliverDue(ctx)
    const messages = ctx.sent.splice(0).filter((message) => message.taskId === taskId)
    await consumeMessages(
      ctx,
      messages.map(({ dispatchVersion }) => queueMessage({ taskId, dispatchVersion })),
    )
  }
  while ((await cleanStorage(ctx)) > 0);
}

async function expectOneResult(taskId: string, userId: string) {
  const task = await readTask(ctx, taskId)
  expect(task).toMatchObject({ status: 'succeeded', pinned: false })
  const results = await readResults(ctx, taskId)
  expect(results).toMatchObject([{ id: task.result_file_id, state: 'ready', counted: true }])
  const stored = await ctx.storage!.get(results[0]!.object_key)
  expect(await stored!.text()).toBe('one\ntwo\n')
  const attempts = await readAttempts(ctx, taskId)
  expect(attempts.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1)
  expect(attempts.every(({ outcome }) => outcome !== null)).toBe(true)
  const [usage] = await ctx.db.$client`select file_count from storage_usage where user_id = ${userId}`
  expect(usage).toEqual({ file_count: 2 })
}

describe('an invocation', () => {
  it(`takes ${STEPS} steps to the outside between claim and acknowledgement`, async () => {
    const { taskId } = await submit(ctx)
    const { dying, steps } = dyingAt(Infinity, 'before')
    await consumeMessages(dying, [queueMessage({ taskId, dispatchVersion: 1 })])
    expect(steps()).toBe(STEPS)
  })

  const points = Array.from({ length: STEPS }, (_, index) => index + 1)
  it.each(points.flatMap((step) => [[step, 'before'] as const, [step, 'after'] as const]))(
    'that dies at step %i, %s it takes effect, leaves a task that ends with one correct result',
    async (step, when) => {
      const { taskId, userId } = await submit(ctx)
      const { dying, died } = dyingAt(step, when)
      const message = queueMessage({ taskId, dispatchVersion: 1 })
      void consumeMessages(dying, [message])
      await died
      expect(message.settled).toBeNull()
      // The queue hands an unacknowledged message out again, at once and later.
      await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion: 1 })])
      await carryOn(taskId)
      await expectOneResult(taskId, userId)
    },
  )
})
