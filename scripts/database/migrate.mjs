#!/usr/bin/env node
/**
 * Brings a database to the current schema: first the numbered migrations that are missing, then the engine's
 * functions. Safe to run again, and by several at once: an advisory lock makes them take turns.
 *
 *   DATABASE_URL=postgres://… npm run migrate
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyNumbered } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** Any number will do, as long as everyone who migrates this product takes the same. */
const ADVISORY_LOCK = 7_215_117

/**
 * @param {string} databaseUrl
 * @param {{ migrationsFolder?: string, functions?: boolean }} [options] tests stop at an older migration with a folder of their own
 */
export async function migrate(databaseUrl, options = {}) {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 10 })
  try {
    await client`select pg_advisory_lock(${ADVISORY_LOCK})`
    await applyNumbered(drizzle({ client }), {
      migrationsFolder: options.migrationsFolder ?? join(root, 'migrations'),
    })
    if (options.functions ?? true) await installFunctions(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

/**
 * The multi-statement transactions of the task engine are functions, written beside the modules that call them
 * (`app/tasks/*.sql`). They are code, not data: the schema `engine` holds nothing else and is made anew, in one
 * transaction, whenever its sources have changed.
 *
 * @param {postgres.Sql} client
 */
async function installFunctions(client) {
  const sources = sqlFilesUnder(join(root, 'app'))
  const body = sources.map((path) => `-- ${relative(root, path)}\n${readFileSync(path, 'utf8')}`).join('\n')
  const version = createHash('sha256').update(body).digest('hex')

  const [installed] =
    await client`select obj_description(to_regnamespace('engine'), 'pg_namespace') as version`
  if (installed?.version === version) return

  await client.begin(async (transaction) => {
    await transaction.unsafe('drop schema if exists engine cascade; create schema engine;')
    await transaction.unsafe(body)
    await transaction.unsafe(`comment on schema engine is '${version}'`)
  })
}

/** @param {string} folder @returns {string[]} in the order of their paths */
function sqlFilesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const databaseUrl = process.env.DATABASE_URL
  if (!databaseUrl) {
    console.error(
      'Set DATABASE_URL to the PostgreSQL address of the database to migrate, for example\n  DATABASE_URL=postgres://user:password@host:5432/millrace npm run migrate',
    )
    process.exit(1)
  }
  await migrate(databaseUrl)
  console.log('The database is at the current schema.')
}
