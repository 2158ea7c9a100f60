/**
 * `npm run tasks:validate-store`: the races of the task system, with eight real sessions at once, on a database of its own
 * in a PostgreSQL of this machine and on workerd's R2. Ends with 0 when every rule held in every round, else with 1 and the
 * first rule that didn't.
 */
import process from 'node:process'
import { startBucket } from '../app/testing/local-bucket'
import { runUntilInterrupted } from '../scripts/site/interrupt.mjs'
import { ACCOUNT_RACES } from './store/account-races'
import { BUDGET_RACES } from './store/budget-races'
import { EXECUTION_RACES } from './store/execution-races'
import { FILE_RACES } from './store/file-races'
import { makeOwnDatabase, refusal } from './store/own-database'
import { runRace } from './store/race'
import { openStage, SESSIONS } from './store/sessions'
import { SUBMISSION_RACES } from './store/submission-races'

const RACES = [...SUBMISSION_RACES, ...EXECUTION_RACES, ...BUDGET_RACES, ...FILE_RACES, ...ACCOUNT_RACES]

await runUntilInterrupted(async (signal) => {
  const refused = refusal(process.env)
  if (refused) {
    console.error(refused)
    return 1
  }
  await validate(signal)
  return 0
})

async function validate(signal: AbortSignal): Promise<void> {
  const began = performance.now()
  const database = await makeOwnDatabase(signal)
  try {
    const { bucket, stop } = await startBucket()
    try {
      await race(database.url, bucket, signal)
    } finally {
      await stop()
    }
    console.log(`  ✓ the configured database is as it was: ${await database.checkConfigured()}`)
  } finally {
    await database.remove()
  }
  const rounds = RACES.reduce((sum, { rounds }) => sum + rounds, 0)
  console.log(`
All rules held in ${rounds} rounds of ${RACES.length} races (${Math.round((performance.now() - began) / 1000)} s). ${database.name} is dropped.

Covered: the statements and transactions of uploading, cleaning, deleting files and accounts, submitting, claiming, publishing,
  cancelling, failing, recovering, dead letters and retrying, as ${SESSIONS} sessions of PostgreSQL run them at once; inputs and
  results in a real local R2; after every round the rules that hold between rows (pins, attempts, results, quota, active
  limit), and after those of files and accounts what the bucket holds.
Not covered: the queue and its consumer (messages were handed over by hand), HTTP, sign-in, pages and the built Worker.
  \`npm run tasks:validate\` runs those.`)
}

async function race(databaseUrl: string, bucket: R2Bucket, signal: AbortSignal): Promise<void> {
  const stage = await openStage(databaseUrl, bucket)
  console.log(`${SESSIONS} sessions at once, PostgreSQL processes ${stage.backends.join(', ')}`)
  console.log('Every other round holds all sessions up at one lock and lets them go together.')
  try {
    for (const each of RACES) {
      const outcomes = [...(await runRace(stage, each, signal))].sort(([, a], [, b]) => b - a)
      console.log(`  ✓ ${each.name}`)
      console.log(
        `    ${each.rounds} rounds: ${outcomes.map(([what, times]) => `${times} × ${what}`).join('; ')}`,
      )
    }
  } finally {
    await stage.close()
  }
}
