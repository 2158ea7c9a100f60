import { spawn } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'

const MODULE = new URL('./interrupt.mjs', import.meta.url).href
const WAITS = 'async (signal) => { console.log("waiting"); await aborted(signal) }'
const GIVES_UP = `async (signal) => { await (${WAITS})(signal); signal.throwIfAborted() }`

/** Runs a program to its end, with Ctrl-C as soon as it says that it waits. */
function exitCodeOf(program: string): Promise<number | null> {
  const code = `import { aborted, runUntilInterrupted } from ${JSON.stringify(MODULE)}
    await runUntilInterrupted(${program})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes('waiting')) child.kill('SIGINT')
  })
  return new Promise((resolve) => child.once('close', resolve))
}

test.each([
  ['that has ended by itself is a success', 'async () => {}', 0],
  ['ends with the code that it answers', 'async () => 3', 3],
  ['that threw has failed', 'async () => { throw new Error("no") }', 1],
  ['that Ctrl-C made give up is no success', GIVES_UP, 130],
  [
    'that answers after Ctrl-C is no success either',
    `async (signal) => { await (${WAITS})(signal); return 0 }`,
    130,
  ],
  ['that only waits for Ctrl-C may call it a success', `${WAITS}, { interruptedCode: 0 }`, 0],
])('a program %s', async (_, program, code) => {
  expect(await exitCodeOf(program)).toBe(code)
})
