import { beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../scripts/database/migrate.mjs'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { insertRow } from '../testing/rows'
import { claim, submit } from '../testing/tasks'
import { deleteAccount, signUp } from './accounts.server'
import { readSession } from './session.server'

const database = testDatabase()
const env = { APP_ORIGIN: 'http://localhost:8787', AUTH_SECRET: 'a secret of at least 32 characters' }

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database)
})

async function readTrash(): Promise<string[]> {
  const rows = await ctx.db.$client<{ object_key: string }[]>`select object_key from object_trash`
  return rows.map(({ object_key }) => object_key)
}

/** Every table with a row of that account, by the foreign keys that lead to it. */
async function tablesWith(userId: string): Promise<string[]> {
  const tables = await ctx.db.$client<{ table: string }[]>`
    select table_name as table from information_schema.columns
     where table_schema = 'public' and column_name = 'user_id'`
  const found: string[] = []
  for (const { table } of tables) {
    const sql = ctx.db.$client
    if ((await sql`select from ${sql(table)} where user_id = ${userId}`).length > 0) found.push(table)
  }
  return found.sort()
}

describe('deleting an account', () => {
  it('takes everything that is its own, running tasks too, and nobody else’s', async () => {
    const other = await submit(ctx)
    const { taskId, userId } = await submit(ctx)
    await claim(ctx, taskId)
    await ctx.db.$client`insert into credit_balance (user_id, balance) values (${userId}, 5)`
    await insertRow(ctx.db, 'credit_ledger', {
      id: crypto.randomUUID(),
      user_id: userId,
      kind: 'grant',
      amount: 5,
      idempotency_key: userId,
    })
    expect(await tablesWith(userId)).toEqual([
      'credit_balance',
      'credit_ledger',
      'file',
      'storage_usage',
      'task',
    ])
    expect(await deleteAccount(ctx, userId)).toBe(true)
    expect(await tablesWith(userId)).toEqual([])
    const left = await ctx.db.$client`
      select task_id from task_attempt where task_id = ${taskId}
      union all select task_id from task_input_pin where task_id = ${taskId}`
    expect(left).toHaveLength(0)
    expect(await tablesWith(other.userId)).toEqual(['file', 'storage_usage', 'task'])
  })

  it('ends its sessions at once, and a repeat changes nothing', async () => {
    const ada = { name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' }
    const signedIn = await signUp(ctx, env, ada)
    const cookie = 'cookies' in signedIn ? (signedIn.cookies[0]?.split(';')[0] ?? '') : ''
    const user = await readSession(ctx, env, cookie)
    expect(await deleteAccount(ctx, user?.id ?? '')).toBe(true)
    expect(await readSession(ctx, env, cookie)).toBeNull()
    expect(await deleteAccount(ctx, user?.id ?? '')).toBe(false)
    expect(await signUp(ctx, env, ada)).toHaveProperty('cookies')
  })

  it('eight times at once happens once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => testContext(database)))
    const { id: userId } = await createUser(ctx)
    await createFile(ctx, { userId })
    const answers = await Promise.all(sessions.map((session) => deleteAccount(session, userId)))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })
})

describe('the objects of an account', () => {
  it.each(['deleted', 'taken away by any other statement'])('are trash once it is %s', async (how) => {
    const { id: userId } = await createUser(ctx)
    const states = ['uploading', 'ready', 'deleting'] as const
    const keys = await Promise.all(
      states.map(async (state) => (await createFile(ctx, { userId, state })).objectKey),
    )
    if (how === 'deleted') await deleteAccount(ctx, userId)
    else await ctx.db.$client`delete from "user" where id = ${userId}`
    expect(await readTrash()).toEqual(expect.arrayContaining(keys))
  })

  it('are no trash where its deletion was taken back', async () => {
    const { id: userId } = await createUser(ctx)
    const { objectKey } = await createFile(ctx, { userId })
    const deletion = ctx.db.$client.begin(async (transaction) => {
      await transaction`select engine.delete_account(${userId})`
      throw new Error('taken back')
    })
    await expect(deletion).rejects.toThrow('taken back')
    expect(await readTrash()).not.toContain(objectKey)
    expect(await tablesWith(userId)).toContain('file')
  })

  it('are trash also after the engine’s functions were made anew', async () => {
    await ctx.db.$client`comment on schema engine is 'of an earlier release'`
    await migrate(database.url)
    const { id: userId } = await createUser(ctx)
    const { objectKey } = await createFile(ctx, { userId })
    await deleteAccount(ctx, userId)
    expect(await readTrash()).toContain(objectKey)
  })

  it('are trash also where the file came while the deletion waited for the account', async () => {
    const [deleting, uploading] = await Promise.all([testContext(database), testContext(database)])
    const { id: userId } = await createUser(ctx)
    let deletion: Promise<unknown> = Promise.resolve()
    let objectKey = ''
    await uploading.db.$client.begin(async (transaction) => {
      await transaction`select engine.lock_account(${userId})`
      deletion = deleting.db.$client`delete from "user" where id = ${userId}`.execute()
      const waiting = () =>
        ctx.db.$client`select from pg_locks where not granted and locktype = 'transactionid'`
      while ((await waiting()).length === 0);
      objectKey = (await createFile({ ...uploading, db: { $client: transaction } as never }, { userId }))
        .objectKey
    })
    await deletion
    expect(await readTrash()).toContain(objectKey)
  })
})
