import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../db/client.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { databaseAnswers } from './health.server'

const database = testDatabase()

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext(database)
})

/** Takes every connection and never says anything. */
const sockets: Socket[] = []
const silent = createServer((socket) => void sockets.push(socket))
beforeAll(() => new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  silent.close()
})

const address = (port: number) => `postgres://nobody:a-secret@127.0.0.1:${port}/nothing`

test('a database that answers is well', async () => {
  expect(await databaseAnswers(ctx)).toBe(true)
  expect(ctx.logged).toEqual([])
})

test('a database that is not there, or hangs, is not; the log says why, and no secret', async () => {
  const { port } = silent.address() as AddressInfo
  for (const [unwell, name] of [
    [address(1), 'ECONNREFUSED'],
    [address(port), 'DatabaseSilent'],
  ] as const) {
    const db = connect(unwell)
    ctx.logged.length = 0
    expect(await databaseAnswers({ ...ctx, db }, 300)).toBe(false)
    const text = JSON.stringify(ctx.logged)
    expect(text).toContain(name)
    expect(text).not.toContain('a-secret')
    for (const socket of sockets) socket.destroy()
    await db.$client.end({ timeout: 0 })
  }
})
