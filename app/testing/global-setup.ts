import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../scripts/database/migrate.mjs'
import { startPostgres } from '../../scripts/site/postgres.mjs'
import { TEMPLATE } from './database'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the run's PostgreSQL; tests put the name of their own database in. */
    postgresUrl: string
  }
}

/** One real PostgreSQL for the run, with a migrated template that each test file's database is copied from. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false })
  const teardown = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const sql = postgres(server.url, { max: 1 })
    await sql.unsafe(`create database ${TEMPLATE}`)
    await sql.end()
    await migrate(Object.assign(new URL(server.url), { pathname: `/${TEMPLATE}` }).href)
    project.provide('postgresUrl', server.url)
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}
