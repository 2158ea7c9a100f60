/** Where a command finds the site's database. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'

/**
 * `DATABASE_URL`, else the embedded database of the site that runs on this machine from `DATA_DIR` (default `.data`).
 * Throws an error that says how to name one when there is neither.
 * @returns {string}
 */
export function databaseAddress() {
  const { DATABASE_URL, DATA_DIR } = process.env
  if (DATABASE_URL) return DATABASE_URL
  const folder = resolve(DATA_DIR || '.data')
  const pidFile = join(folder, 'postgres', 'postmaster.pid')
  const passwordFile = join(folder, 'postgres.password')
  if (!existsSync(pidFile) || !existsSync(passwordFile)) {
    throw new Error(
      `No database: no site runs from ${folder}. Start one with npm start, or name a database:\n  DATABASE_URL=postgres://… npm run task -- <id>`,
    )
  }
  // Line 4 of postmaster.pid is the port that the server listens on.
  const port = readFileSync(pidFile, 'utf8').split('\n')[3]?.trim()
  const password = readFileSync(passwordFile, 'utf8').trim()
  return `postgres://millrace:${password}@127.0.0.1:${port}/millrace`
}
