/** Starting, finding and ending other processes. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import process from 'node:process'

/** How long a process group has to end by itself before it is killed, in milliseconds. */
const GRACE_MS = 4_000

/**
 * Runs a command to its end. Its output is kept and becomes part of the error when it fails. An abort ends the command
 * and everything that it started.
 *
 * @param {string} command @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal }} options
 * @returns {Promise<string>} what it printed
 */
export async function run(command, args, { cwd, env = process.env, signal }) {
  signal?.throwIfAborted()
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const keep = (/** @type {Buffer} */ chunk) => (output = (output + chunk.toString()).slice(-20_000))
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const abort = () => signalGroup(child.pid, 'SIGKILL')
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal?.throwIfAborted()
    if (code !== 0) throw new Error(`\`${[command, ...args].join(' ')}\` failed:\n${output.trim()}`)
    return output
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/**
 * Ends a process that leads its own group, and all that it started: first by asking, then by force.
 * @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} [signal]
 */
export async function endGroup(child, signal = 'SIGTERM') {
  const { pid } = child
  if (pid === undefined) return
  signalGroup(pid, signal)
  await until(() => !groupIsAlive(pid), GRACE_MS)
  if (groupIsAlive(pid)) signalGroup(pid, 'SIGKILL')
  await until(() => !groupIsAlive(pid), 1_000)
}

/** @param {number | undefined} pid @param {NodeJS.Signals | 0} signal */
function signalGroup(pid, signal) {
  if (pid === undefined) return false
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/** Zombies still answer a signal; they end with us and hold nothing. @param {number} pid */
function groupIsAlive(pid) {
  return signalGroup(pid, 0) && listProcesses().some((entry) => entry.group === pid && !entry.zombie)
}

/** Whether a process with this number runs and its command line has each of these words. @param {number} pid @param {string[]} words */
export function isRunning(pid, ...words) {
  const found = listProcesses().find((entry) => entry.pid === pid && !entry.zombie)
  return found !== undefined && words.every((word) => found.command.includes(word))
}

/** Numbers of our own children whose command line has each of these words. @param {string[]} words */
export function childrenWith(...words) {
  return listProcesses()
    .filter((entry) => entry.parent === process.pid && words.every((word) => entry.command.includes(word)))
    .map((entry) => entry.pid)
}

/** @param {() => boolean} holds @param {number} atMostMs */
export async function until(holds, atMostMs) {
  for (let waited = 0; waited < atMostMs && !holds(); waited += 25) {
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return holds()
}

/** @typedef {{ pid: number, parent: number, group: number, zombie: boolean, command: string }} ProcessEntry */

/** From /proc where there is one: slim images have no `ps`. @returns {ProcessEntry[]} */
function listProcesses() {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(readEntry)
  }
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state=,args='], { encoding: 'utf8' })
  return (listed.stdout ?? '').split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)
    if (!match) return []
    const [, pid, parent, group, state, command = ''] = match
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        zombie: state?.startsWith('Z') === true,
        command,
      },
    ]
  })
}

/** @param {string} pid @returns {ProcessEntry[]} none when it has ended meanwhile */
function readEntry(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces and parentheses itself.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), zombie: state === 'Z', command },
    ]
  } catch {
    return []
  }
}
