/** The stages of `npm test`, in the order in which a failure is cheapest to learn of. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { installBrowser } from './browser.mjs'
import { bin } from './build.mjs'
import { root } from './install.mjs'
import { runUntilInterrupted } from './interrupt.mjs'
import { endGroup } from './processes.mjs'

/** @typedef {{ name: string, command: string, args: string[], report?: string }} Stage `report` is where its counts will be */
/** @typedef {{ name: string, ok: boolean, passed: number, failed: number, seconds: number }} Outcome */

const reports = join(root, 'test-results', 'reports')
/** @param {string} name */
const reportOf = (name) => join(reports, `${name}.json`)
/** @param {string} project @returns {string[]} */
const vitest = (project) => [
  ...['run', '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json'],
  `--outputFile.json=${reportOf(project)}`,
]

/** @type {Stage[]} */
const STAGES = [
  { name: 'check', command: 'npm', args: ['run', '--silent', 'check'] },
  { name: 'unit and integration', command: bin('vitest'), args: vitest('unit'), report: reportOf('unit') },
  { name: 'whole Worker', command: bin('vitest'), args: vitest('worker'), report: reportOf('worker') },
  {
    name: 'browser',
    command: bin('playwright'),
    args: ['test', '--reporter=list,json'],
    report: reportOf('browser'),
  },
  { name: 'demo', command: process.execPath, args: [join(root, 'scripts', 'demo.mjs')] },
]

await runUntilInterrupted(async (signal) => {
  installBrowser()
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  /** @type {Outcome[]} */
  const outcomes = []
  for (const stage of STAGES) {
    console.log(`\n── ${stage.name} ──`)
    outcomes.push(await runStage(stage, signal))
  }
  return report(outcomes)
})

/** @param {Stage} stage @param {AbortSignal} signal @returns {Promise<Outcome>} */
async function runStage({ name, command, args, report }, signal) {
  const started = Date.now()
  // A group of its own, so that an interrupted run leaves no browser, database or worker behind.
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf('browser') },
  })
  const end = () => void endGroup(child, 'SIGINT')
  signal.addEventListener('abort', end, { once: true })
  const code = await new Promise((resolve) => {
    child.once('error', (error) => (console.error(error.message), resolve(1)))
    child.once('close', resolve)
  })
  signal.removeEventListener('abort', end)
  if (signal.aborted) await endGroup(child, 'SIGKILL')
  signal.throwIfAborted()
  const counts = report ? countsIn(report) : { passed: 0, failed: 0 }
  return {
    name,
    ok: code === 0 && counts.failed === 0,
    ...counts,
    seconds: Math.round((Date.now() - started) / 1000),
  }
}

/** Vitest's and Playwright's reports, as far as they count. @param {string} file */
function countsIn(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0 }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  if (report.stats)
    return { passed: report.stats.expected, failed: report.stats.unexpected + report.stats.flaky }
  return { passed: report.numPassedTests, failed: report.numFailedTests }
}

/** @param {Outcome[]} outcomes @returns {number} exit code */
function report(outcomes) {
  console.log('\n── summary ──')
  for (const { name, ok, passed, failed, seconds } of outcomes) {
    const counts = passed + failed > 0 ? `, ${passed} passed, ${failed} failed` : ''
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}${counts} (${seconds} s)`)
  }
  const sum = (/** @type {(outcome: Outcome) => number} */ of) =>
    outcomes.reduce((total, one) => total + of(one), 0)
  // A stage that failed without a test to blame (a type error, a crash) counts as one failure.
  const failed = sum((outcome) => (outcome.ok ? 0 : Math.max(1, outcome.failed)))
  console.log(`${sum((outcome) => outcome.passed)} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
