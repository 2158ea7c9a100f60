import { endAttempt } from '../../app/tasks/attempt-end.server'
import { recoverExpiredLeases, recoverLease } from '../../app/tasks/recovery.server'
import { retryTask } from '../../app/tasks/retry.server'
import type { TestContext } from '../../app/testing/recording-context'
import { claim, readAttempts, readTask, submit } from '../../app/testing/tasks'
import { claimBy, count, gateAt, times } from './operations'
import type { Race } from './race'
import { must, type Operation, type Stage } from './sessions'

const MINUTE = 60_000

const retryAgainstItself: Race = {
  name: 'retrying by hand, the same form eight times',
  rounds: 20,
  async round(stage, gated) {
    const { ctx } = stage
    const { taskId, userId } = await submit(ctx)
    const ended = await endAttempt(ctx, await claim(ctx, taskId), { code: 'STORAGE_FULL' })
    must(ended === 'failed', 'a full quota ends the task', ended)
    const outcomes = await stage.atOnce(
      times(() => (session) => retryTask(session, { userId, taskId, attempts: 1 })),
      gateAt(gated, 'user', userId),
    )
    must(count(outcomes, 'retried') === 1, 'it is accepted once', outcomes)
    must(count(outcomes, 'repeated') === 7, 'the others are repeats of it', outcomes)
    const sent = stage.sessions.flatMap((session) => session.sent)
    must(sent.length === 1 && sent[0]?.dispatchVersion === 2, 'one message is sent', sent)
    const task = await readTask(ctx, taskId)
    must(
      task.status === 'queued' && task.attempt_count === 1 && task.pinned,
      'it waits for its second attempt',
      task,
    )
    return 'one accepted, seven repeats'
  },
}

/** Every attempt dies. Eight sessions claim each one, eight find its lease over; at the end all of them try once more. */
const budget: Race = {
  name: 'the budget of attempts: eight claims, then eight recoveries, until it is spent',
  rounds: 12,
  async round(stage, gated) {
    const { ctx } = stage
    const { taskId, userId } = await submit(ctx)
    const { maxAttempts } = ctx.site.tasks
    const gate = gateAt(gated, 'task', taskId)
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      stage.setTime(new Date(Date.now() + attempt * 10 * MINUTE))
      const { dispatch_version: dispatchVersion } = await readTask(ctx, taskId)
      const claims = await stage.atOnce(
        times(() => claimBy({ taskId, dispatchVersion })),
        gate,
      )
      must(count(claims, 'claimed') === 1, `attempt ${attempt} begins once`, claims)
      stage.setTime(new Date(Date.now() + (attempt * 10 + 3) * MINUTE))
      await stage.atOnce(
        times<Operation<unknown>>(() =>
          gated ? (session) => recoverLease(session, taskId, crypto.randomUUID()) : recoverExpiredLeases,
        ),
        gate,
      )
      const recoveries = outcomesOfRecovery(stage)
      const expected = attempt < maxAttempts ? 'retry_wait' : 'failed'
      must(
        count(recoveries, expected) === 1,
        `attempt ${attempt} is recovered once, as ${expected}`,
        recoveries,
      )
    }
    await checkSpent(stage, taskId)
    const { dispatch_version: latest } = await readTask(ctx, taskId)
    const attempts = await stage.atOnce(
      times<Operation<string>>((index) =>
        index < latest
          ? claimBy({ taskId, dispatchVersion: index + 1 })
          : (session) => retryTask(session, { userId, taskId, attempts: maxAttempts }),
      ),
      null,
    )
    const refusals = attempts.filter((outcome) => outcome === 'stale' || outcome === 'NOT_RETRYABLE')
    must(
      refusals.length === attempts.length,
      'neither a message nor a person begins another attempt',
      attempts,
    )
    await checkSpent(stage, taskId)
    return `${maxAttempts} attempts, then nothing more`
  },
}

const outcomesOfRecovery = ({ sessions }: Stage) =>
  sessions.flatMap(({ logged }) =>
    logged
      .splice(0)
      .filter(({ event }) => event === 'task.recover')
      .map(({ fields }) => fields.outcome),
  )

async function checkSpent({ ctx }: Stage, taskId: string) {
  const task = await readTask(ctx, taskId)
  must(task.status === 'failed' && task.error_code === 'LEASE_EXPIRED', 'the spent task has failed', task)
  const attempts = await readAttempts(ctx, taskId)
  must(attempts.length === ctx.site.tasks.maxAttempts, 'as many attempts as the budget has', attempts)
}

const OPERATIONS_EACH = 8

/** Claims, endings, recoveries and retries of one task in all sessions, in a random order, with time passing at random. */
const scramble: Race = {
  name: 'the budget of attempts: random claims, failures, recoveries and retries of one task',
  rounds: 12,
  async round(stage) {
    const { ctx } = stage
    const { taskId, userId } = await submit(ctx)
    const claimed = await stage.atOnce(
      times(() => (session) => actAtRandom(session, { taskId, userId })),
      null,
    )
    const begun = claimed.reduce((sum, each) => sum + each, 0)
    const attempts = await readAttempts(ctx, taskId)
    must(begun === attempts.length, 'every claim that was answered is an attempt', { begun, attempts })
    must(begun <= ctx.site.tasks.maxAttempts, 'no more attempts than the budget has', attempts)
    return begun === 1 ? '1 attempt' : `${begun} attempts`
  },
}

/** Answers how often this session has claimed the task. */
async function actAtRandom(session: TestContext, { taskId, userId }: { taskId: string; userId: string }) {
  let claims = 0
  let minutes = 0
  for (let step = 0; step < OPERATIONS_EACH; step += 1) {
    minutes += Math.random() * 4
    session.clock.now = new Date(Date.now() + minutes * MINUTE)
    const { attempt_count: attempts } = await readTask(session, taskId)
    const dice = Math.random()
    if (dice < 0.5) {
      const lease = await claim(session, taskId).catch(refusedClaim)
      if (!lease) continue
      claims += 1
      if (Math.random() < 0.5) await endAttempt(session, lease, { code: 'STORAGE_UNAVAILABLE' })
    } else if (dice < 0.8) await recoverExpiredLeases(session)
    else await retryTask(session, { userId, taskId, attempts })
  }
  return claims
}

/** A claim that came to nothing; errors of the database go on. */
function refusedClaim(error: unknown): null {
  if (error instanceof Error && error.message.startsWith('not claimed')) return null
  throw error
}

export const BUDGET_RACES: readonly Race[] = [budget, scramble, retryAgainstItself]
