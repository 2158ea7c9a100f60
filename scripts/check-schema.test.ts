import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, expect, it } from 'vitest'

const root = new URL('..', import.meta.url).pathname
const copies: string[] = []
afterEach(() => copies.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

function checkSchema(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-schema.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stderr }
}

/** The schema's folder with one change in it. */
function changedSchema(file: string, from: string, to: string): string {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'schema-'))
  copies.push(folder)
  cpSync(join(root, 'app/db/schema'), folder, { recursive: true })
  const code = readFileSync(join(folder, file), 'utf8')
  expect(code).toContain(from)
  writeFileSync(join(folder, file), code.replace(from, to))
  return relative(root, folder)
}

it('the migrations match the schema', () => {
  expect(checkSchema()).toEqual({ status: 0, stderr: '' })
})

it('a column that no migration makes is reported, with the statement and the command that are missing', () => {
  const folder = changedSchema('rate-limits.server.ts', 'scope:', "extra: text('extra'),\n    scope:")
  const { status, stderr } = checkSchema(folder)
  expect(status).toBe(1)
  expect(stderr).toContain('ALTER TABLE "rate_limit" ADD COLUMN "extra" text')
  expect(stderr).toContain('npx drizzle-kit generate')
})

it('a column that may have been renamed is reported although drizzle-kit can’t ask', () => {
  const folder = changedSchema('rate-limits.server.ts', "text('scope')", "text('scope_name')")
  expect(checkSchema(folder).status).toBe(1)
})
