/** The folder that keeps everything of one local site: database, bucket, secrets. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import process from 'node:process'
import { isRunning } from './processes.mjs'

/**
 * Keeps a second site off a folder that is in use, and ends what a killed site left running on it.
 *
 * @param {string} dataDir
 * @returns {{ note: (children: number[]) => void, release: () => void }} `note` remembers processes that a later start
 *   has to end in case this one is killed
 */
export function claimDataDir(dataDir) {
  const folder = resolve(dataDir)
  const file = join(folder, 'running.json')
  mkdirSync(folder, { recursive: true })
  if (existsSync(file)) {
    const { pid, command, children } = readRecord(file)
    if (pid !== process.pid && isRunning(pid, command)) {
      throw new Error(
        `${folder} is in use by a site that runs already (process ${pid}). Stop that one, or give this one a folder ` +
          'of its own: DATA_DIR=.data2 PORT=8788 COOKIE_PREFIX=millrace2 npm start',
      )
    }
    for (const child of children) if (isRunning(child, 'workerd')) process.kill(child, 'SIGKILL')
  }
  const note = (/** @type {number[]} */ children) => {
    writeFileSync(
      file,
      JSON.stringify({ pid: process.pid, command: basename(process.argv[1] ?? 'node'), children }),
    )
  }
  note([])
  return { note, release: () => rmSync(file, { force: true }) }
}

/** @param {string} file @returns {{ pid: number, command: string, children: number[] }} */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Cut off by a crash: nothing is known of its processes.
    return { pid: 0, command: '', children: [] }
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
