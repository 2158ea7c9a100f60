#!/usr/bin/env node
/**
 * `npm run check`: format, lint, types, schema drift and the queues' names. Everything that fails is shown, not the first
 * only; the exit code is 0 when nothing did.
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { requireNode } from './site/install.mjs'

requireNode()

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (/** @type {string} */ name) => join(root, 'node_modules', '.bin', name)

/** The longest first. The linter keeps no cache: a rule on imports is broken by a change in another file. */
const CHECKS = {
  lint: [bin('eslint'), '--max-warnings', '0', '.'],
  types: [bin('tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo'],
  format: [bin('prettier'), '--check', '--log-level', 'warn', '.'],
  schema: [process.execPath, 'scripts/check-schema.mjs'],
  wrangler: [process.execPath, 'scripts/check-wrangler.mjs'],
}
const AT_ONCE = 2

/** @param {string[]} command @returns {Promise<{ code: number | null, output: string }>} */
function run([program = '', ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('close', (code) => resolve({ code, output }))
    child.once('error', ({ message }) => resolve({ code: 1, output: `${message}\nRun npm install first.` }))
  })
}

const waiting = Object.entries(CHECKS)
const failed = /** @type {string[]} */ ([])
async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, command] = next
    const began = performance.now()
    const { code, output } = await run(command)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
    if (code === 0) continue
    failed.push(name)
    console.log(output.trim().replace(/^/gm, '    '))
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, work))

if (failed.length > 0) {
  console.error(
    `Failed: ${failed.join(', ')}${failed.includes('format') ? ' (npm run format mends the format)' : ''}`,
  )
  process.exitCode = 1
}
