import postgres from 'postgres'
import { describe, expect, inject, it } from 'vitest'
import { testContext } from './context'
import { TEMPLATE, testDatabase } from './database'
import { createFile, createUser } from './factories'

const one = testDatabase()
const other = testDatabase()
const empty = testDatabase({ empty: true })

describe('a test file’s database', () => {
  it('keeps what is written in it to itself', async () => {
    const ctx = await testContext(one)
    const user = await createUser(ctx)
    await createFile(ctx, { userId: user.id })
    expect(await ctx.db.$client`select name from "user"`).toHaveLength(1)
    expect(await other.connect().$client`select name from "user"`).toHaveLength(0)
  })

  it('can’t be changed for later ones through the template', async () => {
    const template = postgres(Object.assign(new URL(one.url), { pathname: `/${TEMPLATE}` }).href, { max: 1 })
    await expect(template`select 1`).rejects.toThrow('not currently accepting connections')
    await template.end()
  })

  it('waits for locks and idle transactions as long as production does', async () => {
    for (const database of [one, empty]) {
      const sql = database.connect().$client
      expect(await sql`select current_setting('lock_timeout') as wait`).toEqual([{ wait: '5s' }])
      expect(await sql`select current_setting('idle_in_transaction_session_timeout') as wait`).toEqual([
        { wait: '10s' },
      ])
    }
  })

  it('gives a client as many connections as it asks for', async () => {
    const { $client: sql } = one.connect({ connections: 3 })
    let waiting = 3
    const allAreOpen = new Promise<void>((resolve) => {
      const open = () =>
        sql.begin(async (transaction) => {
          await transaction`select 1`
          if (--waiting === 0) resolve()
          await allAreOpen
        })
      void Promise.all([open(), open(), open()])
    })
    await allAreOpen
  })

  it('has no table when it is asked to be empty', async () => {
    expect(await empty.connect().$client`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
  })

  it('is one of a run that has room for many connections', async () => {
    const sql = postgres(inject('postgresUrl'), { max: 1 })
    const [{ connections }] = await sql<[{ connections: number }]>`
      select current_setting('max_connections')::int as connections`
    await sql.end()
    expect(connections).toBe(200)
  })
})
