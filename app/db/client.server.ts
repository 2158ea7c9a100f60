import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Environment } from '../config/environment.server'

export type Sql = postgres.Sql
export type Database = PostgresJsDatabase & { $client: Sql }

/**
 * An invocation that waits for something else (a body that arrives slowly, an object, a page that is read slowly) gives its
 * connection up after this long and opens another when it goes on: else a hundred people on bad lines take all that a
 * database has. A form arrives in less, so it pays for one connection only.
 */
const IDLE_SECONDS = 0.25

/**
 * Opens the database for one invocation. Nothing is sent before the first statement. The caller ends it with
 * `closeDatabase` when its last statement has answered: a client kept for a later invocation throws in workerd.
 *
 * `DATABASE_URL` goes before the Hyperdrive binding, whose local stand-in adds 40 ms stalls.
 */
export function openDatabase(env: Pick<Environment, 'DATABASE_URL' | 'HYPERDRIVE'>): Database {
  const address = env.DATABASE_URL ?? env.HYPERDRIVE?.connectionString
  if (!address) throw new Error('There is no database: bind HYPERDRIVE or set DATABASE_URL.')
  return connect(address, { idleSeconds: IDLE_SECONDS })
}

/** A database by its address. One connection: what must not deadlock passes its transaction along. */
export function connect(
  address: string,
  options: { connections?: number; applicationName?: string; idleSeconds?: number } = {},
): Database {
  const client = postgres(address, {
    max: options.connections ?? 1,
    // Arrays are passed as JSON or typed by the statement, so the catalogue query at connection is saved.
    fetch_types: false,
    connect_timeout: 5,
    idle_timeout: options.idleSeconds,
    onnotice: () => {},
    connection: { application_name: options.applicationName ?? 'millrace' },
  })
  return drizzle({ client })
}

/** Ends the connection; running statements have five seconds to answer. */
export async function closeDatabase(db: Database): Promise<void> {
  await db.$client.end({ timeout: 5 })
}
