/** The browser for the browser tests. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { chromium } from '@playwright/test'
import { bin } from './build.mjs'
import { root } from './install.mjs'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Path of a Chromium: the one in `CHROMIUM_PATH`, the system's or Playwright's own; null when there is none. */
export function findBrowser() {
  const candidates = [process.env.CHROMIUM_PATH, ...PLACES, chromium.executablePath()]
  return candidates.find((path) => path && existsSync(path)) ?? null
}

/** Installs a browser when there is none: Debian's as root on Debian, else Playwright's own. Throws when neither comes. */
export function installBrowser() {
  if (findBrowser()) return
  const onDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0
  const commands = onDebian
    ? ['apt-get update -qq', 'apt-get install -y -qq --no-install-recommends chromium fonts-liberation']
    : [`"${bin('playwright')}" install chromium`]
  for (const command of commands) {
    console.log(`No browser is installed: ${command}`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const done = spawnSync(command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: true, env })
    if (done.status !== 0) break
  }
  if (findBrowser()) return
  throw new Error(
    `No browser for the tests: ${commands.join(' && ')} did not bring one. Install Chromium or set CHROMIUM_PATH.`,
  )
}
