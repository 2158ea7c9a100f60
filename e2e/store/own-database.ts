import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import process from 'node:process'
import { closeDatabase, connect, type Sql } from '../../app/db/client.server'
import { startPostgres } from '../../scripts/site/postgres.mjs'
import { openDatabase } from '../../scripts/site/site.mjs'
import { temporaryFolder } from '../../scripts/site/temporary.mjs'
import { describe } from './sessions'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Why the races must not run here; null when they may. They make and drop a database and load the server: neither is for a
 * server that anybody else uses.
 */
export function refusal({ NODE_ENV, DATABASE_URL }: NodeJS.ProcessEnv): string | null {
  if (NODE_ENV === 'production') {
    return 'NODE_ENV is "production". This validation runs in development only: unset NODE_ENV.'
  }
  if (!DATABASE_URL) return null
  const address = URL.canParse(DATABASE_URL) ? new URL(DATABASE_URL) : null
  if (!address || !/^postgres(ql)?:$/.test(address.protocol)) {
    return 'DATABASE_URL is not an address such as postgres://user:password@127.0.0.1:5432/millrace.'
  }
  if (LOOPBACK.test(address.hostname)) return null
  return (
    `DATABASE_URL points to ${address.hostname || 'no host'}. This validation makes and drops a database, so it only runs on ` +
    'a PostgreSQL of this machine (localhost, 127.0.0.1, ::1). Unset DATABASE_URL to let it start one of its own.'
  )
}

export interface OwnDatabase {
  /** Migrated and empty; nobody else knows of it. */
  url: string
  name: string
  /** Throws when a table of the configured database has another number of rows than before. Answers what was compared. */
  checkConfigured: () => Promise<string>
  /** Drops the database, and stops the server if it was started for it. */
  remove: () => Promise<void>
}

/** A new database on the PostgreSQL of DATABASE_URL, or on one that is started for it in a temporary folder. */
export async function makeOwnDatabase(signal: AbortSignal): Promise<OwnDatabase> {
  const undo: (() => unknown)[] = []
  const remove = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    const configuredUrl = process.env.DATABASE_URL || (await startOwnServer(undo, signal))
    const configured = connect(configuredUrl, { applicationName: 'millrace validation' })
    undo.push(() => closeDatabase(configured))
    const sql = configured.$client
    await sql`select 1`.catch((error: unknown) => {
      throw new Error(`The PostgreSQL of DATABASE_URL can't be used (${describe(error)}).`)
    })
    const before = await countRows(sql)

    const name = `millrace_validation_${randomUUID().replaceAll('-', '')}`
    const url = Object.assign(new URL(configuredUrl), { pathname: `/${name}` }).href
    await sql`create database ${sql(name)}`
    undo.push(() => sql`drop database if exists ${sql(name)} with (force)`)
    signal.throwIfAborted()
    await openDatabase({
      dataDir: '',
      options: { dataDir: '', databaseUrl: url },
      onStarted: () => {},
      log: console.log,
    })

    const checkConfigured = async () => {
      const after = await countRows(sql)
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (table) => before.get(table) !== after.get(table),
      )
      const tell = (table: string) =>
        `${table} (${before.get(table) ?? 'missing'} → ${after.get(table) ?? 'missing'})`
      if (changed.length === 0)
        return `${after.size} tables, ${[...after.values()].reduce((a, b) => a + b, 0)} rows`
      throw new Error(
        `Rows of the configured database changed meanwhile: ${changed.map(tell).join(', ')}. ` +
          'If a site runs on it, stop that site and run this again.',
      )
    }
    return { url, name, checkConfigured, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function startOwnServer(undo: (() => unknown)[], signal: AbortSignal): Promise<string> {
  console.log('Starting a PostgreSQL of its own, because DATABASE_URL is not set …')
  const folder = temporaryFolder()
  undo.push(folder.remove)
  const server = await startPostgres({ dataDir: join(folder.path, 'postgres'), durable: false, signal })
  undo.push(server.stop)
  return server.url
}

/** Rows of each table, with its schema. */
async function countRows(sql: Sql): Promise<Map<string, number>> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select schemaname as schema, tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2`
  const counts = new Map<string, number>()
  for (const { schema, name } of tables) {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::integer as rows from ${sql(schema)}.${sql(name)}`
    counts.set(`${schema}.${name}`, row!.rows)
  }
  return counts
}
