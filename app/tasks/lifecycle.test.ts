import { uuidv7 } from 'uuidv7'
import { beforeEach, describe, expect, it } from 'vitest'
import { MAINTENANCE_BATCH } from '../config/limits'
import { cleanStorage } from '../files/cleanup.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { refuseUpdates } from '../testing/holds'
import { fileRow, insertRow } from '../testing/rows'
import { claim, readAttempts, readResults, readTask, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { cancelTask } from './cancellation.server'
import { deliverDue } from './delivery.server'
import { getTask } from './queries.server'
import { recoverExpiredLeases, recoverLease } from './recovery.server'
import { renewLeases } from './renewal.server'
import { publishResult, reserveResult, setStrayResultsAside, type Reservation } from './results.server'
import { retryTask } from './retry.server'

const database = testDatabase()
let ctx: TestContext

beforeEach(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  await ctx.db.$client`delete from "user"`
})

const result = { bytes: new TextEncoder().encode('one\ntwo\n'), type: 'text/plain', name: 'out.txt' }

async function usage(userId: string) {
  const [row] = await ctx.db.$client<{ file_count: number; byte_count: number }[]>`
    select u.file_count, u.byte_count::integer,
           (select count(*) from file f where f.user_id = u.user_id and f.counted) = u.file_count
           and (select coalesce(sum(byte_size), 0) from file f where f.user_id = u.user_id and f.counted) = u.byte_count as consistent
      from storage_usage u where user_id = ${userId}`
  return row!
}

async function running() {
  const task = await submit(ctx)
  return { ...task, lease: await claim(ctx, task.taskId) }
}

async function reserved() {
  const task = await running()
  const reservation = await reserveResult(ctx, task.lease, result)
  if (typeof reservation === 'string') throw new Error(reservation)
  return { ...task, reservation }
}

describe('publishing', () => {
  it('makes file, task, attempt and pin change together, once', async () => {
    const { taskId, userId, lease, reservation } = await reserved()
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'uploading' }])
    expect(await publishResult(ctx, lease, reservation)).toBe('published')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'succeeded',
      result_file_id: reservation.fileId,
      pinned: false,
    })
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'ready', counted: true }])
    expect(await readAttempts(ctx, taskId)).toMatchObject([{ outcome: 'succeeded' }])
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })

    // The commit's answer was lost, and the worker tries once more, then gives up.
    expect(await publishResult(ctx, lease, reservation)).toBe('lease_lost')
    expect(await endAttempt(ctx, lease, { unclassified: true })).toBe('lease_lost')
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'ready' }])
  })

  it('is refused to a worker whose lease ran out', async () => {
    const { taskId, lease, reservation } = await reserved()
    ctx.advance(120_000)
    expect(await publishResult(ctx, lease, reservation)).toBe('lease_lost')
    expect((await readTask(ctx, taskId)).status).toBe('running')
  })

  it('is refused to an attempt that another one has replaced, and what it reserved is given back', async () => {
    const { taskId, userId, lease, reservation } = await reserved()
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    const next = await claim(ctx, taskId)
    const second = await reserveResult(ctx, next, result)
    if (typeof second === 'string') throw new Error(second)
    expect(await publishResult(ctx, lease, reservation)).toBe('lease_lost')
    expect(await publishResult(ctx, { ...next, version: lease.version }, second)).toBe('lease_lost')
    expect(await publishResult(ctx, next, reservation)).toBe('lease_lost')
    expect(await publishResult(ctx, next, second)).toBe('published')
    expect((await readResults(ctx, taskId)).map(({ state }) => state)).toEqual(['deleting', 'ready'])
    expect(await usage(userId)).toMatchObject({ consistent: true })
  })

  it('gives way to a cancel request: the task ends canceled and its output is discarded', async () => {
    const { taskId, userId, lease, reservation } = await reserved()
    expect(await cancelTask(ctx, { userId, taskId })).toBe('requested')
    expect((await readTask(ctx, taskId)).pinned).toBe(true)
    expect(await publishResult(ctx, lease, reservation)).toBe('canceled')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'canceled',
      pinned: false,
      result_file_id: null,
    })
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'deleting' }])
  })

  it('reserves nothing beyond the quota, and a manual retry succeeds after space was freed', async () => {
    const { taskId, userId, lease } = await running()
    const full = { ...ctx, site: { ...ctx.site, files: { ...ctx.site.files, maxCount: 1 } } }
    expect(await reserveResult(full, lease, result)).toBe('STORAGE_FULL')
    expect(await usage(userId)).toMatchObject({ file_count: 1, consistent: true })
    expect(await endAttempt(ctx, lease, { code: 'STORAGE_FULL' })).toBe('failed')
    expect(await retryTask(ctx, { userId, taskId, attempts: 1 })).toBe('retried')
    const again = await claim(ctx, taskId)
    const reservation = await reserveResult(ctx, again, result)
    if (typeof reservation === 'string') throw new Error(reservation)
    expect(await publishResult(ctx, again, reservation)).toBe('published')
  })

  it('takes an empty result', async () => {
    const { lease } = await running()
    const reservation = await reserveResult(ctx, lease, { ...result, bytes: new Uint8Array() })
    if (typeof reservation === 'string') throw new Error(reservation)
    expect(await publishResult(ctx, lease, reservation)).toBe('published')
  })
})

describe('an attempt that fails', () => {
  it('ends the task with its code', async () => {
    const { taskId, lease } = await running()
    expect(await endAttempt(ctx, lease, { code: 'INPUT_NOT_UTF8' })).toBe('failed')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'failed',
      error_code: 'INPUT_NOT_UTF8',
      pinned: false,
    })
    expect(await readAttempts(ctx, taskId)).toMatchObject([
      { outcome: 'failed', error_code: 'INPUT_NOT_UTF8' },
    ])
  })

  it('is tried again after 30, then 60 seconds when storage was not reachable, until the budget is spent', async () => {
    const { taskId, lease } = await running()
    expect(await endAttempt(ctx, lease, { code: 'STORAGE_UNAVAILABLE' })).toBe('retry_wait')
    expect(ctx.sent.at(-1)).toMatchObject({ taskId, dispatchVersion: 2, delaySeconds: 30 })
    ctx.advance(30_000)
    expect(await endAttempt(ctx, await claim(ctx, taskId), { code: 'STORAGE_UNAVAILABLE' })).toBe(
      'retry_wait',
    )
    expect(ctx.sent.at(-1)).toMatchObject({ delaySeconds: 60 })
    await expect(claim(ctx, taskId)).rejects.toThrow('early')
    ctx.advance(60_000)
    expect(await endAttempt(ctx, await claim(ctx, taskId), { code: 'STORAGE_UNAVAILABLE' })).toBe('failed')
    expect(await readTask(ctx, taskId)).toMatchObject({ error_code: 'STORAGE_UNAVAILABLE', attempt_count: 3 })
  })

  it('ends canceled when a cancel was requested, whatever the failure was', async () => {
    const { taskId, userId, lease } = await running()
    await cancelTask(ctx, { userId, taskId })
    expect(await endAttempt(ctx, lease, { code: 'STORAGE_UNAVAILABLE' })).toBe('canceled')
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'canceled', error_code: null })
  })

  it('for a reason nobody knows is tried again after ten seconds, and ends as INTERNAL', async () => {
    const { taskId, lease } = await running()
    expect(await endAttempt(ctx, lease, { unclassified: true })).toBe('retry_wait')
    for (const outcome of ['retry_wait', 'failed']) {
      ctx.advance(10_000)
      expect(await endAttempt(ctx, await claim(ctx, taskId), { unclassified: true })).toBe(outcome)
    }
    expect((await readTask(ctx, taskId)).error_code).toBe('INTERNAL')
  })

  it('for a reason nobody knows waits for an operator when its processor may not run again', async () => {
    const { taskId, lease } = await running()
    await ctx.db.$client`update task set deterministic = false where id = ${taskId}`
    expect(await endAttempt(ctx, lease, { unclassified: true })).toBe('reconciling')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'reconciling',
      pinned: true,
      next_delivery_at: null,
    })
  })
})

describe('a reservation', () => {
  it('takes the place of an earlier attempt’s, whose object is still to be removed', async () => {
    const half = { ...result, bytes: new Uint8Array(ctx.site.files.quotaBytes / 2 + 1) }
    const { taskId, userId, lease } = await running()
    expect(await reserveResult(ctx, lease, half)).toMatchObject({ fileId: expect.any(String) as string })
    await endAttempt(ctx, lease, { code: 'STORAGE_UNAVAILABLE' })
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })

    ctx.advance(30_000)
    const next = await claim(ctx, taskId)
    const reservation = await reserveResult(ctx, next, half)
    expect(reservation).toMatchObject({ fileId: expect.any(String) as string })
    expect(await readResults(ctx, taskId)).toMatchObject([
      { state: 'deleting', counted: false },
      { state: 'uploading', counted: true },
    ])
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })
    expect(await publishResult(ctx, next, reservation as Reservation)).toBe('published')
    await cleanStorage(ctx)
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })
  })

  it('taken again by the same attempt is one', async () => {
    const { taskId, userId, lease } = await running()
    await reserveResult(ctx, lease, result)
    await reserveResult(ctx, lease, result)
    expect(await readResults(ctx, taskId)).toMatchObject([
      { state: 'deleting', counted: false },
      { state: 'uploading', counted: true },
    ])
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })
  })
})

describe('a lost lease', () => {
  it('that was renewed after maintenance had seen it end is left alone', async () => {
    const { taskId, lease } = await running()
    ctx.advance(119_999)
    await renewLeases(ctx, [{ lease, report: null }])
    ctx.advance(1)
    expect(await recoverLease(ctx, taskId, crypto.randomUUID())).toMatchObject({ outcome: 'untouched' })
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'running', lease_version: lease.version })
  })

  it('that refuses every write keeps no other from being recovered', async () => {
    const [bad, good] = [await running(), await running()]
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [bad.taskId] })
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    await accept()
    expect((await readTask(ctx, bad.taskId)).status).toBe('running')
    expect((await readTask(ctx, good.taskId)).status).toBe('retry_wait')
    expect(ctx.sent.at(-1)).toMatchObject({ taskId: good.taskId, dispatchVersion: 2 })
    await recoverExpiredLeases(ctx)
    expect((await readTask(ctx, bad.taskId)).status).toBe('retry_wait')
  })

  it('that cannot be recovered moves back in its line, by more each time, and is recovered once it can be', async () => {
    const bad = await running()
    const accept = await refuseUpdates(ctx.db.$client, { table: 'task', ids: [bad.taskId], of: 'status' })
    ctx.advance(120_000)
    for (const minutes of [1, 2, 4, 8]) {
      expect(await recoverExpiredLeases(ctx)).toBe(1)
      ctx.advance(minutes * 60_000 - 1)
      expect(await recoverExpiredLeases(ctx)).toBe(0)
      ctx.advance(1)
    }
    await accept()
    expect(await recoverExpiredLeases(ctx)).toBe(1)
    expect((await readTask(ctx, bad.taskId)).status).toBe('retry_wait')
  })

  it('is recovered although a whole batch before it cannot be', async () => {
    const broken = await Promise.all(Array.from({ length: MAINTENANCE_BATCH + 1 }, () => running()))
    ctx.advance(1)
    const good = await running()
    const accept = await refuseUpdates(ctx.db.$client, {
      table: 'task',
      ids: broken.map(({ taskId }) => taskId),
      of: 'status',
    })
    ctx.advance(120_000)
    expect(await recoverExpiredLeases(ctx)).toBe(MAINTENANCE_BATCH)
    expect(await recoverExpiredLeases(ctx)).toBe(2)
    expect((await readTask(ctx, good.taskId)).status).toBe('retry_wait')
    await accept()
    await ctx.db.$client`delete from task`
  })

  it('may not write any more, whatever it tries, while the next attempt runs', async () => {
    const { taskId, lease } = await running()
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    const next = await claim(ctx, taskId)
    expect(await reserveResult(ctx, lease, result)).toBe('lease_lost')
    expect(await endAttempt(ctx, lease, { code: 'INPUT_NOT_UTF8' })).toBe('lease_lost')
    expect(await endAttempt(ctx, lease, { unclassified: true })).toBe('lease_lost')
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'running', lease_version: next.version })
    expect(await readResults(ctx, taskId)).toEqual([])
  })

  it('is tried again at once until the budget is spent, then fails', async () => {
    const { taskId, userId } = await running()
    for (const status of ['retry_wait', 'retry_wait', 'failed']) {
      ctx.advance(120_000)
      expect(await recoverExpiredLeases(ctx)).toBe(1)
      expect((await readTask(ctx, taskId)).status).toBe(status)
      if (status === 'retry_wait') await claim(ctx, taskId)
    }
    expect(await readTask(ctx, taskId)).toMatchObject({
      error_code: 'LEASE_EXPIRED',
      attempt_count: 3,
      pinned: false,
    })
    expect((await readAttempts(ctx, taskId)).map(({ outcome }) => outcome)).toEqual(
      Array(3).fill('lease_lost'),
    )
    expect(await retryTask(ctx, { userId, taskId, attempts: 3 })).toBe('NOT_RETRYABLE')
  })

  it('ends canceled when a cancel was requested', async () => {
    const { taskId, userId } = await running()
    await cancelTask(ctx, { userId, taskId })
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    expect((await readTask(ctx, taskId)).status).toBe('canceled')
  })

  it('waits for an operator when its processor may not run again', async () => {
    const { taskId } = await running()
    await ctx.db.$client`update task set deterministic = false where id = ${taskId}`
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    expect(await readTask(ctx, taskId)).toMatchObject({ status: 'reconciling', pinned: true })
  })

  it('does not overwrite a task that finished after the recovering reader saw it', async () => {
    const { taskId, lease, reservation } = await reserved()
    await publishResult(ctx, lease, reservation)
    ctx.advance(600_000)
    const [answer] = await ctx.db.$client`
      select outcome from engine.recover_lease(${ctx.clock.now!.toISOString()}, ${taskId}, ${crypto.randomUUID()})`
    expect(answer).toEqual({ outcome: 'untouched' })
    expect((await readTask(ctx, taskId)).status).toBe('succeeded')
  })

  it('sets its unpublished result aside, and keeps its quota until the object is gone', async () => {
    const { taskId, userId } = await reserved()
    ctx.advance(120_000)
    await recoverExpiredLeases(ctx)
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'deleting', counted: true }])
    expect(await usage(userId)).toMatchObject({ file_count: 2, consistent: true })
    expect(await setStrayResultsAside(ctx)).toBe(0)
  })
})

describe('a result that no running attempt will publish', () => {
  /** As a bug or a restored database would leave it: nothing in the engine does. */
  async function stray() {
    const { taskId, userId } = await submit(ctx)
    await cancelTask(ctx, { userId, taskId })
    const id = uuidv7()
    const row = {
      id,
      state: 'uploading',
      origin: 'result',
      task_id: taskId,
      lease_version: 1,
      expires_at: null,
    }
    await insertRow(ctx.db, 'file', fileRow(userId, row))
    return { id, taskId }
  }

  it('is handed to cleaning', async () => {
    const { taskId } = await stray()
    expect(await setStrayResultsAside(ctx)).toBe(1)
    expect(await readResults(ctx, taskId)).toMatchObject([{ state: 'deleting' }])
    expect(await setStrayResultsAside(ctx)).toBe(0)
  })

  it('keeps no other from it when it cannot be, and moves back in its line', async () => {
    const [bad, good] = [await stray(), await stray()]
    const accept = await refuseUpdates(ctx.db.$client, { table: 'file', ids: [bad.id], of: 'state' })
    expect(await setStrayResultsAside(ctx)).toBe(2)
    expect(await readResults(ctx, good.taskId)).toMatchObject([{ state: 'deleting' }])
    expect(await setStrayResultsAside(ctx)).toBe(0)
    await accept()
    ctx.advance(60_000)
    expect(await setStrayResultsAside(ctx)).toBe(1)
    expect(await readResults(ctx, bad.taskId)).toMatchObject([{ state: 'deleting' }])
  })
})

describe('retrying by hand', () => {
  async function failed() {
    const task = await running()
    await endAttempt(ctx, task.lease, { code: 'STORAGE_FULL' })
    return task
  }

  it('begins again with a new delivery, and a repeat of it changes nothing', async () => {
    const { taskId, userId } = await failed()
    expect(await retryTask(ctx, { userId, taskId, attempts: 1 })).toBe('retried')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'queued',
      error_code: null,
      pinned: true,
      dispatch_floor: 2,
    })
    expect(await retryTask(ctx, { userId, taskId, attempts: 1 })).toBe('repeated')
    expect((await readTask(ctx, taskId)).dispatch_version).toBe(2)
  })

  it('is accepted once when it is sent eight times at once', async () => {
    const { taskId, userId } = await failed()
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => testContext(database, { clock: ctx.clock, storage: ctx.storage })),
    )
    const answers = await Promise.all(
      sessions.map((each) => retryTask(each, { userId, taskId, attempts: 1 })),
    )
    expect(answers.sort()).toEqual([...Array(7).fill('repeated'), 'retried'])
  })

  it('sent again from the old page after a delivery failed once more changes nothing', async () => {
    const { taskId, userId } = await submit(ctx)
    const exhausted = async () => {
      ctx.advance(24 * 60 * 60_000)
      while ((await deliverDue(ctx)) > 0);
      const task = await getTask(ctx, { userId, taskId })
      expect(task).toMatchObject({ status: 'failed', errorCode: 'DELIVERY_EXHAUSTED', attemptCount: 0 })
      return task!.finishedAt!
    }
    const finishedAt = await exhausted()
    expect(await retryTask(ctx, { userId, taskId, attempts: 0, finishedAt })).toBe('retried')
    expect(await retryTask(ctx, { userId, taskId, attempts: 0, finishedAt })).toBe('repeated')
    const again = await exhausted()
    expect(await retryTask(ctx, { userId, taskId, attempts: 0, finishedAt })).toBe('repeated')
    expect((await readTask(ctx, taskId)).status).toBe('failed')
    expect(await retryTask(ctx, { userId, taskId, attempts: 0, finishedAt: again })).toBe('retried')
  })

  it('checks the input again', async () => {
    const { taskId, userId, fileId } = await failed()
    const retry = () => retryTask(ctx, { userId, taskId, attempts: 1 })
    await ctx.db.$client`update file set sha256 = ${'0'.repeat(64)} where id = ${fileId}`
    expect(await retry()).toBe('INPUT_CHANGED')
    await ctx.db.$client`update file set expires_at = ${ctx.clock.now!.toISOString()} where id = ${fileId}`
    expect(await retry()).toBe('FILE_EXPIRED')
    await ctx.db.$client`update file set state = 'deleting' where id = ${fileId}`
    expect(await retry()).toBe('FILE_NOT_FOUND')
  })

  it('is refused for somebody else, for failures that would come again, and beyond the active limit', async () => {
    const { taskId, userId } = await failed()
    expect(await retryTask(ctx, { userId: crypto.randomUUID(), taskId, attempts: 1 })).toBe('NOT_FOUND')
    for (let each = 0; each < 5; each++) await submit(ctx, { userId })
    expect(await retryTask(ctx, { userId, taskId, attempts: 1 })).toBe('ACTIVE_LIMIT')
    await ctx.db.$client`update task set error_code = 'INPUT_NOT_UTF8' where id = ${taskId}`
    expect(await retryTask(ctx, { userId, taskId, attempts: 1 })).toBe('NOT_RETRYABLE')
  })
})

describe('cancelling', () => {
  it('ends a waiting task at once, and a repeat changes nothing', async () => {
    const { taskId, userId } = await submit(ctx)
    expect(await cancelTask(ctx, { userId, taskId })).toBe('canceled')
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'canceled',
      pinned: false,
      next_delivery_at: null,
    })
    expect(await cancelTask(ctx, { userId, taskId })).toBe('unchanged')
  })

  it('does nothing for somebody else', async () => {
    const { taskId } = await submit(ctx)
    expect(await cancelTask(ctx, { userId: crypto.randomUUID(), taskId })).toBe('NOT_FOUND')
    expect((await readTask(ctx, taskId)).status).toBe('queued')
  })

  it('and publishing at once end in exactly one of the two', async () => {
    for (let round = 0; round < 20; round++) {
      const { taskId, userId, lease, reservation } = await reserved()
      const other = await testContext(database, { clock: ctx.clock })
      const [published, canceled] = await Promise.all([
        publishResult(ctx, lease, reservation),
        cancelTask(other, { userId, taskId }),
      ])
      expect([
        ['published', 'unchanged'],
        ['canceled', 'requested'],
      ]).toContainEqual([published, canceled])
      expect((await readTask(ctx, taskId)).status).toBe(published === 'published' ? 'succeeded' : 'canceled')
    }
  })
})
