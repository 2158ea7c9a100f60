/**
 * What must hold before anything else can be imported. Plain Node without packages: this runs on a fresh checkout.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** Lowest version that every tool in package.json runs on; `engines` there says the same. */
const NODE_NEEDED = [20, 19]

/** Ends the process with a sentence that says what to do, when this Node.js is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = NODE_NEEDED
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return
  console.error(
    `Millrace needs Node.js ${NODE_NEEDED.join('.')} or newer; this is ${process.versions.node}. ` +
      'Install a current one from https://nodejs.org (or `nvm install 22`) and run the command again.',
  )
  process.exit(1)
}

/**
 * Installs the packages when there are none or package-lock.json has changed since they were installed. Does nothing,
 * in a few milliseconds, when they are current.
 */
export function installPackages() {
  if (packagesAreCurrent()) return
  console.log('Installing packages …')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = spawnSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    // A production setting in the caller's shell would leave out the build tools.
    env: { ...process.env, NODE_ENV: 'development' },
  })
  if (npm.status !== 0) {
    const reason = npm.error ? ` (${npm.error.message})` : ''
    console.error(`\`npm ci\` failed${reason}. Nothing was started; mend what it says above and run again.`)
    process.exit(npm.status || 1)
  }
  writeFileSync(stampFile, lockText())
}

const stampFile = join(root, 'node_modules', '.millrace-lock')
const lockText = () => readFileSync(join(root, 'package-lock.json'), 'utf8')

function packagesAreCurrent() {
  // npm writes this file last, so an interrupted installation has none.
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockText()) return true
  // Installed by hand: npm's own record is as new as the lock file, or says the same.
  return (
    statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs ||
    recordsAgree(installed)
  )
}

/** A checkout gives files new times, so times alone would install again what is there. @param {string} installed */
function recordsAgree(installed) {
  const wanted = Object.entries(JSON.parse(lockText()).packages)
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages
  return wanted.every(([path, entry]) => {
    if (path === '' || entry.optional || entry.peer) return true
    return present[path]?.version === entry.version
  })
}
