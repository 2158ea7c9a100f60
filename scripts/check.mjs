#!/usr/bin/env node
/** `npm run check`: format, lint, types, schema drift and the queues' names. Everything that fails is shown, not the first only. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (/** @type {string} */ name) => join(root, 'node_modules', '.bin', name)

const CHECKS = {
  format: [bin('prettier'), '--check', '--log-level', 'warn', '.'],
  lint: [bin('eslint'), '--max-warnings', '0', '.'],
  types: [bin('tsc'), '--noEmit', '-p', '.'],
  schema: [process.execPath, 'scripts/check-schema.mjs'],
  wrangler: [process.execPath, 'scripts/check-wrangler.mjs'],
}

/** @param {string[]} command @returns {Promise<{ code: number | null, output: string }>} */
function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('close', (code) => resolve({ code, output }))
    child.once('error', (error) => resolve({ code: 1, output: error.message }))
  })
}

if (!existsSync(join(root, 'node_modules'))) {
  console.error('Run npm install first.')
  process.exit(1)
}
// Two at a time: the types and the linter are what takes long.
const waiting = Object.entries(CHECKS)
const failed = /** @type {string[]} */ ([])
async function worker() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, command] = next
    const began = performance.now()
    const { code, output } = await run(command)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
    if (code !== 0) {
      failed.push(name)
      console.log(output)
    }
  }
}
await Promise.all([worker(), worker()])
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`)
  process.exit(1)
}
