/** `npm run dev` after the packages are there: Remix's compiler watches the sources, and wrangler serves what it makes. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process from 'node:process'
import { bin, toolEnv } from './build.mjs'
import { claimDataDir, keptSecret } from './data-dir.mjs'
import { seedDemoAccount } from './demo-account.mjs'
import { root } from './install.mjs'
import { aborted, runUntilInterrupted } from './interrupt.mjs'
import { everyMinute } from './minutes.mjs'
import { portFrom, requireFreePort } from './ports.mjs'
import { endGroup } from './processes.mjs'
import { openDatabase } from './site.mjs'

const { PORT, HOST, DATA_DIR, DATABASE_URL, APP_ORIGIN, AUTH_SECRET, COOKIE_PREFIX } = process.env

await runUntilInterrupted(serve, { interruptedCode: 0 })

/** @param {AbortSignal} signal */
async function serve(signal) {
  const dataDir = resolve(root, DATA_DIR || '.data')
  const port = portFrom(PORT, 8787)
  const host = HOST || '127.0.0.1'
  const origin = APP_ORIGIN || `http://localhost:${port}`
  /** @type {(() => unknown)[]} */
  const undo = []
  try {
    const claim = await claimDataDir(dataDir, port)
    undo.push(claim.release)
    await requireFreePort(port, host)
    const database = await openDatabase({
      dataDir,
      log: console.log,
      options: { dataDir, signal, databaseUrl: DATABASE_URL || undefined },
      onStarted: (end) => undo.push(end),
    })
    const vars = writeVars(dataDir, {
      APP_ORIGIN: origin,
      DATABASE_URL: database.url,
      AUTH_SECRET: AUTH_SECRET || keptSecret(dataDir, 'auth-secret'),
      ...(COOKIE_PREFIX ? { COOKIE_PREFIX } : {}),
    })
    const tools = startTools({ port, host, vars, persistTo: join(dataDir, 'worker') })
    undo.push(() => endGroup(tools))
    const ended = new Promise((_, reject) => {
      tools.once('exit', (code) => reject(new Error(`\`remix dev\` ended with ${code}.`)))
    })

    const address = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
    await Promise.race([answering(`${address}/healthz`, signal), ended])
    undo.push(everyMinute(() => fireCron(address)))
    if (!DATABASE_URL) {
      const demo = await seedDemoAccount({ origin, address, dataDir, databaseIsNew: database.isNew })
      console.log(`\n  Demo account: ${demo.email}, password ${demo.password}`)
    }
    console.log(
      `  Millrace is ready: ${origin}. Saved files are live in a few seconds; Ctrl-C stops everything.\n`,
    )
    await Promise.race([aborted(signal), ended])
  } finally {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
}

/**
 * What the Worker gets beside wrangler.toml's settings, in a file: a command line can be read by everyone on the machine.
 * @param {string} dataDir @param {Record<string, string>} vars
 */
function writeVars(dataDir, vars) {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'dev.vars')
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return file
}

/** @param {{ port: number, host: string, vars: string, persistTo: string }} settings */
function startTools({ port, host, vars, persistTo }) {
  const wrangler = [
    ...['wrangler', 'dev', '--ip', host, '--port', String(port), '--inspector-port', '0', '--test-scheduled'],
    ...['--env-file', relative(root, vars), '--persist-to', relative(root, persistTo)],
    '--show-interactive-dev-session=false',
  ]
  // `remix dev` splits its command at spaces that have no backslash.
  const command = wrangler.map((word) => word.replaceAll(' ', '\\ ')).join(' ')
  return spawn(bin('remix'), ['dev', '--manual', '-c', command], {
    cwd: root,
    // Its own group: neither tool passes a signal on to what it has started.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...toolEnv(), CI: undefined, NODE_ENV: 'development' },
  })
}

/** @param {string} url @param {AbortSignal} signal */
async function answering(url, signal) {
  for (;;) {
    signal.throwIfAborted()
    const status = await fetch(url, { signal }).then(
      (response) => response.status,
      () => 0,
    )
    if (status > 0 && status < 500) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

/** @param {string} address */
async function fireCron(address) {
  const response = await fetch(`${address}/__scheduled?cron=*+*+*+*+*`).catch(() => null)
  if (!response?.ok) console.error('The minute’s round of maintenance could not run.')
}
