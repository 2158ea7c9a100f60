import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { checkBooks, readUse } from '../testing/files'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database)
})

const LIMITS = { files: 2, bytes: 10 }

async function take(userId: string, bytes: number, limits = LIMITS) {
  const [answer] = await ctx.db.$client<{ taken: boolean }[]>`
    select engine.take_quota(
      p_user => ${userId}, p_bytes => ${bytes}, p_max_files => ${limits.files}, p_max_bytes => ${limits.bytes}) as taken`
  return answer?.taken
}

describe('quota', () => {
  it('is taken up to the last byte, and not beyond', async () => {
    const { id: userId } = await createUser(ctx)
    expect(await take(userId, 4)).toBe(true)
    expect(await take(userId, 7)).toBe(false)
    expect(await readUse(ctx, userId)).toEqual({ files: 1, bytes: 4 })
    expect(await take(userId, 6)).toBe(true)
    expect(await readUse(ctx, userId)).toEqual({ files: 2, bytes: 10 })
  })

  it('is taken up to the last file, and not beyond, also by one without any byte', async () => {
    const { id: userId } = await createUser(ctx)
    for (const taken of [true, true, false]) expect(await take(userId, 0)).toBe(taken)
    expect(await readUse(ctx, userId)).toEqual({ files: 2, bytes: 0 })
  })

  it('refuses an account’s very first file as it refuses any other', async () => {
    const { id: userId } = await createUser(ctx)
    expect(await take(userId, 11)).toBe(false)
    expect(await take(userId, 1, { files: 0, bytes: 10 })).toBe(false)
    expect(await readUse(ctx, userId)).toEqual({ files: 0, bytes: 0 })
  })

  it('of a deleted file comes back once, however often and by how many its deletion is finished', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => testContext(database)))
    const { id: userId } = await createUser(ctx)
    const { id: fileId } = await createFile(ctx, { userId, state: 'deleting' })
    await createFile(ctx, { userId })
    const finish = ({ db }: TestContext) =>
      db.$client`select engine.finish_file_deletion(p_file => ${fileId})`
    await Promise.all(sessions.map(finish))
    await finish(ctx)
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })

  it('of a file that isn’t set aside can’t be given back', async () => {
    const { id: userId } = await createUser(ctx)
    const { id: fileId } = await createFile(ctx, { userId })
    await ctx.db.$client`select engine.finish_file_deletion(p_file => ${fileId})`
    expect(await checkBooks(ctx, userId)).toEqual({ ready: 1 })
  })
})
