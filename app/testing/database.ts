import postgres from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { closeDatabase, connect, type Database } from '../db/client.server'

/** The run's migrated database, made by `global-setup.ts`. Nobody can connect to it. */
export const TEMPLATE = 'millrace_template'

export interface TestDatabase {
  /** Its address. Like everything here it is there while tests and hooks run, not while they are being collected. */
  readonly url: string
  /** A client with its own connections (one unless told otherwise), ended with the test file. */
  connect: (options?: { connections?: number }) => Database
}

/**
 * What the product asks an operator to set on the role or database, because a pooled connection keeps no session settings.
 * A copy doesn't take its template's settings along.
 */
const SETTINGS = ["lock_timeout = '5s'", "idle_in_transaction_session_timeout = '10s'"]

/**
 * A database of the test file's own (25 ms), copied from the migrated template before its first test and dropped after
 * its last. `empty` leaves it without any table, for tests of the migrations themselves.
 */
export function testDatabase({ empty = false }: { empty?: boolean } = {}): TestDatabase {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const clients: Database[] = []
  const address = (database: string) =>
    Object.assign(new URL(inject('postgresUrl')), { pathname: `/${database}` }).href

  async function administer(statements: string[]) {
    const sql = postgres(address('postgres'), { max: 1, onnotice: () => {} })
    try {
      for (const statement of statements) await sql.unsafe(statement)
    } finally {
      await sql.end()
    }
  }

  beforeAll(() =>
    administer([
      `create database ${name} template ${empty ? 'template0' : TEMPLATE}`,
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
