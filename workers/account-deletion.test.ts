import { beforeAll, describe, expect, it } from 'vitest'
import { deleteAccount } from '~/auth/accounts.server'
import { cleanStorage } from '~/files/cleanup.server'
import { trashOrphans } from '~/files/orphans.server'
import { storeUpload } from '~/files/upload.server'
import { consumeMessages } from '~/tasks/consumer.server'
import { publishResult, reserveResult, type Reservation } from '~/tasks/results.server'
import { testContext, type TestContext } from '~/testing/context'
import { testDatabase } from '~/testing/database'
import { createFile, createUser } from '~/testing/factories'
import { brokenStorage } from '~/testing/invariants'
import { faultyStorage, testStorage, type FaultyStorage } from '~/testing/storage'
import { claim, queueMessage, submit } from '~/testing/tasks'

const HOUR = 60 * 60_000
const database = testDatabase()
const RESULT = { bytes: new TextEncoder().encode('out'), type: 'text/plain', name: 'out.txt' }

let faulty: FaultyStorage
let ctx: TestContext
beforeAll(async () => {
  faulty = faultyStorage(await testStorage())
  // The time of its objects, which are orphans after an hour.
  ctx = await testContext(database, { storage: faulty.bucket, clock: { now: new Date() } })
})

async function objects(): Promise<number> {
  return (await ctx.storage?.list())?.objects.length ?? 0
}

describe('an account that is deleted in the middle of its work', () => {
  it('lets no worker write any more', async () => {
    const { taskId, userId } = await submit(ctx)
    const lease = await claim(ctx, taskId)
    const reservation = (await reserveResult(ctx, lease, RESULT)) as Reservation
    await deleteAccount(ctx, userId)
    expect(await publishResult(ctx, lease, reservation)).toBe('lease_lost')
    expect(await reserveResult(ctx, lease, RESULT)).toBe('lease_lost')
  })

  it('leaves a message behind that is acknowledged, and nothing to come of it', async () => {
    const { taskId, userId } = await submit(ctx)
    const message = queueMessage({ taskId, dispatchVersion: 1 })
    await deleteAccount(ctx, userId)
    await consumeMessages(ctx, [message])
    expect(message.settled).toBe('ack')
  })

  it('loses its objects at once, and one that is being written when it would have been given up', async () => {
    const { id: userId } = await createUser(ctx)
    const { objectKey } = await createFile(ctx, { userId })
    const hold = faulty.hold('put')
    const upload = storeUpload(ctx, {
      userId,
      name: 'late.txt',
      bytes: new TextEncoder().encode('late'),
      accepts: ['text/plain'],
      request: null,
    })
    await hold.reached
    await deleteAccount(ctx, userId)
    ctx.advance(1000)
    await cleanStorage(ctx)
    expect(await ctx.storage?.head(objectKey)).toBeNull()

    hold.release()
    expect(await upload).toEqual({ refused: 'UPLOAD_FAILED' })
    expect(await brokenStorage(ctx)).toEqual([])
    ctx.advance(HOUR)
    await cleanStorage(ctx)
    expect(await objects()).toBe(0)
  })

  it('loses also what was written after its trash had been emptied', async () => {
    const { taskId, userId } = await submit(ctx)
    const lease = await claim(ctx, taskId)
    const reservation = (await reserveResult(ctx, lease, RESULT)) as Reservation
    await deleteAccount(ctx, userId)
    ctx.advance(HOUR)
    await cleanStorage(ctx)
    await ctx.storage?.put(reservation.objectKey, RESULT.bytes)
    expect(await brokenStorage(ctx)).toEqual([{ rule: 'object without a row', id: reservation.objectKey }])
    ctx.advance(HOUR)
    await trashOrphans(ctx)
    await cleanStorage(ctx)
    expect(await objects()).toBe(0)
  })
})
