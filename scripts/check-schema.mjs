#!/usr/bin/env node
/** The migrations match the schema: drizzle-kit, asked for another migration in a copy of the folder, finds nothing to do. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// drizzle-kit takes its folders relative to where it runs.
const copy = mkdtempSync(join(root, '.cache-migrations-'))
try {
  cpSync(join(root, 'migrations'), copy, { recursive: true })
  const before = readdirSync(copy).length
  const made = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'drizzle-kit', 'bin.cjs'),
      ...['generate', '--dialect', 'postgresql', '--schema', './app/db/schema/*.server.ts'],
      ...['--out', `./${relative(root, copy)}`, '--name', 'drift'],
    ],
    { cwd: root, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`drizzle-kit failed:\n${made.stdout}${made.stderr}`)
  if (readdirSync(copy).length !== before) {
    console.error(
      'The schema in app/db/schema is ahead of the migrations. Make one:\n  npx drizzle-kit generate --name <what_it_does>',
    )
    process.exitCode = 1
  } else {
    console.log('The migrations match the schema.')
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
