#!/usr/bin/env node
/**
 * The migrations match the schema: drizzle-kit, asked for another migration in a copy of their folder, finds nothing to do.
 * Needs no database.
 *
 *   node scripts/check-schema.mjs [folder of the schema, default app/db/schema]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const schema = process.argv[2] ?? 'app/db/schema'
// drizzle-kit takes its folders relative to where it runs, and nothing outside.
mkdirSync(join(root, '.cache'), { recursive: true })
const copy = mkdtempSync(join(root, '.cache', 'migrations-'))
try {
  cpSync(join(root, 'migrations'), copy, { recursive: true })
  const before = readdirSync(copy)
  const made = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'drizzle-kit', 'bin.cjs'),
      ...['generate', '--dialect', 'postgresql', '--schema', `./${schema}/*.server.ts`],
      ...['--out', `./${relative(root, copy)}`, '--name', 'drift'],
    ],
    { cwd: root, encoding: 'utf8' },
  )
  const added = readdirSync(copy).filter((name) => !before.includes(name))
  // Where it has to ask whether something was renamed, it makes nothing and doesn't say "no changes" either.
  const matches = added.length === 0 && made.stdout.includes('No schema changes')
  if (!matches) {
    const statements = added.map((name) => readFileSync(join(copy, name), 'utf8'))
    const found = added.length > 0 ? statements.join('\n') : `${made.stdout}${made.stderr}`
    console.error(
      `The schema in ${schema} and the migrations differ. Make a migration:\n  npx drizzle-kit generate --name <what_it_does>\nWhat it would do:\n${found}`,
    )
    process.exitCode = 1
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
