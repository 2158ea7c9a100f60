import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../scripts/database/migrate.mjs'
import { startPostgres } from '../../scripts/site/postgres.mjs'
import { isRunning } from '../../scripts/site/processes.mjs'
import { TEMPLATE } from './database'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the run's PostgreSQL; tests put the name of their own database in. */
    postgresUrl: string
  }
}

/** Start of the name of each run's folder; the number of the process that made it follows. */
const FOLDER = 'millrace-test-'

/** One real PostgreSQL for the run, with a migrated template that each test file's database is copied from. */
export default async function setup(project: TestProject) {
  removeLeftovers()
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`))
  chmodSync(folder, 0o711) // the database's user has to pass through
  // An interrupted run ends without its teardown.
  const removeAtOnce = () => remove(folder)
  process.once('exit', removeAtOnce)
  let server: Awaited<ReturnType<typeof startPostgres>> | undefined
  const teardown = async () => {
    await server?.stop()
    process.off('exit', removeAtOnce)
    remove(folder)
  }
  try {
    server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false })
    await makeTemplate(server.url)
    project.provide('postgresUrl', server.url)
    return teardown
  } catch (error) {
    await teardown()
    throw error
  }
}

async function makeTemplate(serverUrl: string) {
  const sql = postgres(serverUrl, { max: 1 })
  try {
    await sql.unsafe(`create database ${TEMPLATE}`)
    await migrate(Object.assign(new URL(serverUrl), { pathname: `/${TEMPLATE}` }).href)
    // A connection to it would keep others from copying it, and what a test writes would be in every copy.
    await sql.unsafe(`alter database ${TEMPLATE} allow_connections false is_template true`)
  } finally {
    await sql.end()
  }
}

/** Folders and servers of runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER))) {
    const [pid] = name.slice(FOLDER.length).split('-')
    if (!isRunning(Number(pid), 'vitest')) remove(join(tmpdir(), name))
  }
}

/** Ends the server in a folder without a farewell, if it runs, and removes all of it. */
function remove(folder: string) {
  const pid = serverIn(folder)
  if (pid !== null && isRunning(pid, 'postgres', folder)) process.kill(pid, 'SIGQUIT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

function serverIn(folder: string): number | null {
  try {
    return Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return null // not started, or stopped
  }
}
