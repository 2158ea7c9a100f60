/** The folder that keeps everything of one local site: database, bucket, secrets. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import process from 'node:process'
import { isRunning, until } from './processes.mjs'

/**
 * Keeps a second site off a folder that is in use, and ends what a killed site left running on it.
 *
 * @param {string} dataDir @param {number} port that this site is going to listen on
 * @returns {Promise<{ note: (children: number[]) => void, release: () => void }>} `note` remembers processes that a later
 *   start has to end in case this one is killed
 */
export async function claimDataDir(dataDir, port) {
  const folder = resolve(dataDir)
  const file = join(folder, 'running.json')
  mkdirSync(folder, { recursive: true })
  if (existsSync(file)) {
    const record = readRecord(file)
    if (record.pid !== process.pid && isRunning(record.pid, record.command)) {
      const other = record.port + 1
      throw new Error(
        `The folder ${folder} is in use by a site that runs already, on port ${record.port} (process ${record.pid}).\n` +
          `Stop that one, or start a second copy with a port, folder and cookies of its own:\n` +
          `  PORT=${other} DATA_DIR=.data-${other} COOKIE_PREFIX=millrace-${other} npm start`,
      )
    }
    for (const child of record.children.filter(isLeftover)) {
      process.kill(child, 'SIGKILL')
      await until(() => !isLeftover(child), 5_000)
    }
  }
  const note = (/** @type {number[]} */ children) => {
    const command = basename(process.argv[1] ?? 'node')
    writeFileSync(file, JSON.stringify({ pid: process.pid, port, command, children }))
  }
  note([])
  return { note, release: () => rmSync(file, { force: true }) }
}

/** @param {number} pid */
const isLeftover = (pid) => isRunning(pid, 'workerd')

/** @param {string} file @returns {{ pid: number, port: number, command: string, children: number[] }} */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Cut off by a crash: nothing is known of its processes.
    return { pid: 0, port: 0, command: '', children: [] }
  }
}

/**
 * A secret of this site's, made at the first call and the same ever after; readable for its owner only.
 * @param {string} dataDir @param {string} name @param {number} [bytes]
 */
export function keptSecret(dataDir, name, bytes = 32) {
  const file = join(resolve(dataDir), name)
  if (!existsSync(file)) writeFileSync(file, randomBytes(bytes).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}
