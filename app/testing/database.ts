import postgres from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { closeDatabase, connect, type Database } from '../db/client.server'

export const TEMPLATE = 'millrace_template'

export interface TestDatabase {
  readonly url: string
  /** A client with its own connections, ended with the test file. */
  connect: (options?: { connections?: number }) => Database
}

/** What the product asks an operator to set on the role or database: a pooled connection keeps no session settings. */
const SETTINGS = ["lock_timeout = '5s'", "idle_in_transaction_session_timeout = '10s'"]

/** A database of the test file's own, copied from the migrated template and dropped when the file has ended. */
export function testDatabase({ template = TEMPLATE }: { template?: string } = {}): TestDatabase {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const clients: Database[] = []
  const address = (database: string) =>
    Object.assign(new URL(inject('postgresUrl')), { pathname: `/${database}` }).href

  async function administer(statements: string[]) {
    const sql = postgres(address('postgres'), { max: 1, onnotice: () => {} })
    for (const statement of statements) await sql.unsafe(statement)
    await sql.end()
  }

  beforeAll(() =>
    administer([
      `create database ${name} template ${template}`,
      ...SETTINGS.map((setting) => `alter database ${name} set ${setting}`),
    ]),
  )
  afterAll(async () => {
    await Promise.all(clients.map(closeDatabase))
    await administer([`drop database if exists ${name} with (force)`])
  })

  return {
    get url() {
      return address(name)
    },
    connect: (options) => {
      const client = connect(address(name), options)
      clients.push(client)
      return client
    },
  }
}
