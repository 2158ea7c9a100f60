/**
 * Why is this task stuck?
 *
 *   npm run task -- <id>
 *   npm run task -- settle <id> failed|canceled --reason "what was found out"
 *   npm run task -- reconciling
 *
 * Works on DATABASE_URL, or on the embedded database of a site that runs on this machine.
 */
import { parseArgs } from 'node:util'
import { site } from '../app/config/site'
import { checkSite } from '../app/config/site-schema.server'
import type { AppContext } from '../app/context.server'
import { closeDatabase, connect } from '../app/db/client.server'
import { inspectTask, nextStep, type Inspection } from '../app/tasks/inspection.server'
import { settleTask } from '../app/tasks/reconciliation.server'
import { databaseAddress } from './database/address.mjs'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const USAGE = `Usage:
  npm run task -- <id>
  npm run task -- settle <id> failed|canceled --reason "what was found out"
  npm run task -- reconciling`

class Refused extends Error {}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { reason: { type: 'string' } },
  })
  const [first, ...rest] = positionals
  const db = connect(databaseAddress(), { applicationName: 'millrace task' })
  const ctx: AppContext = {
    db,
    storage: null,
    queue: null,
    captcha: null,
    mailer: null,
    site: checkSite(site),
    clock: { now: null },
    log: () => {},
  }
  try {
    if (first === 'settle') await settle(ctx, rest, values.reason)
    else if (first === 'reconciling') await listReconciling(ctx)
    else if (first && UUID.test(first)) await show(ctx, first)
    else throw new Refused(USAGE)
  } finally {
    await closeDatabase(db)
  }
}

async function show(ctx: AppContext, id: string) {
  const inspection = await inspectTask(ctx, id)
  if (!inspection) throw new Refused(`There is no task ${id}.`)
  console.log(report(inspection))
}

async function settle(ctx: AppContext, [id, as]: string[], reason: string | undefined) {
  if (!id || !UUID.test(id) || (as !== 'failed' && as !== 'canceled') || !reason) throw new Refused(USAGE)
  const outcome = await settleTask(ctx, { taskId: id, as, reason })
  if (outcome !== 'settled') throw new Refused(`The task ${id} is not reconciling, so nothing was changed.`)
  console.log(`Settled as ${as}.`)
  await show(ctx, id)
}

async function listReconciling(ctx: AppContext) {
  const rows = await ctx.db.$client<{ id: string; updated_at: string }[]>`
    select id, updated_at from task where status = 'reconciling' order by updated_at limit 100`
  if (rows.length === 0) console.log('No task waits for a decision.')
  for (const row of rows) console.log(`${row.id}  since ${row.updated_at}`)
}

function report({ task, attempts, deadLetters, pin, results, now, ...rest }: Inspection): string {
  const next = nextStep({ task, attempts, deadLetters, pin, results, now, ...rest })
  const when = next.at ? ` (${next.at}, ${distance(now, next.at)})` : ''
  const lines = [
    `Task        ${task.id}`,
    `Account     ${task.userId}`,
    `Status      ${task.status}${task.errorCode ? `, ${task.errorCode}` : ''}${task.stage ? `, stage ${task.stage}` : ''}`,
    `Next        ${next.what}${when}`,
    `Processor   ${task.processor}${task.deterministic ? '' : ' (not deterministic: a lost attempt needs a decision)'}`,
    `Attempts    ${task.attemptCount} of ${task.maxAttempts}${task.automaticRetry ? '' : '; none by itself any more'}${task.suspect ? '; the last one lost its lease, so the next is claimed alone' : ''}`,
    ...attempts.map(
      (attempt) =>
        `            lease ${attempt.leaseVersion}: ${attempt.startedAt} → ${attempt.finishedAt ?? 'still running'} ${attempt.outcome ?? ''} ${attempt.errorCode ?? ''}`,
    ),
    `Deliveries  ${task.deliveryCount} since ${task.waitingSince ?? 'it last waited'}; version ${task.dispatchVersion}, claimable from ${task.dispatchFloor}`,
    ...(task.sendFailedCount > 0
      ? [`            ${task.sendFailedCount} sends failed, the last at ${task.sendFailedAt}`]
      : []),
    ...deadLetters.map(
      (letter) => `Dead letter ${letter.receivedAt} version ${letter.dispatchVersion}: ${letter.class}`,
    ),
    ...(task.cancelRequestedAt ? [`Cancel      requested at ${task.cancelRequestedAt}`] : []),
    ...(task.settlementReason ? [`Settled     ${task.settlementReason}`] : []),
    `Pin         ${pin ? `file ${pin.fileId}, ${pin.state}, expires ${pin.expiresAt}` : 'none'}`,
    ...results.map(
      (result) =>
        `Result      file ${result.fileId} of lease ${result.leaseVersion}: ${result.state}, looked at ${result.nextTryAt}`,
    ),
    `Times       created ${task.createdAt}; queued ${task.queuedAt ?? '–'}; started ${task.startedAt ?? '–'}; ended ${task.finishedAt ?? '–'}`,
    `Clock       ${now}`,
  ]
  return lines.join('\n')
}

function distance(from: string, to: string): string {
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000)
  return seconds >= 0 ? `in ${seconds} s` : `${-seconds} s ago`
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
