import { cancelTask } from '../../app/tasks/cancellation.server'
import { claimTasks } from '../../app/tasks/claim.server'
import { receiveDeadLetters } from '../../app/tasks/dead-letters.server'
import { recoverExpiredLeases, recoverLease } from '../../app/tasks/recovery.server'
import { publishResult, reserveResult } from '../../app/tasks/results.server'
import { cleanStorage } from '../../app/files/cleanup.server'
import type { TestContext } from '../../app/testing/recording-context'
import { queueMessage, readAttempts, readResults, readTask, submit } from '../../app/testing/tasks'
import type { Race } from './race'
import { claimBy, claimFirst, count, gateAt, halves, readyToPublish, RESULT, times } from './operations'
import { must, type Operation } from './sessions'

/** What a published result is: one file, with the very bytes in the bucket. Else there is none, and cleaning removes the object. */
async function checkResult(ctx: TestContext, taskId: string, objectKey: string, published: boolean) {
  const states = (await readResults(ctx, taskId)).map(({ state }) => state)
  must(
    states.join() === (published ? 'ready' : 'deleting'),
    'a result is visible exactly when it was published',
    states,
  )
  // Later than any recovery of this round, so that cleaning is due.
  ctx.clock.now = new Date(Date.now() + 10 * 60_000)
  while ((await cleanStorage(ctx)) > 0);
  const object = await ctx.storage!.get(objectKey)
  const text = object && (await object.text())
  must(
    text === (published ? 'one\ntwo\n' : null),
    'the bucket holds the result exactly when it was published',
    text,
  )
}

const sameMessage: Race = {
  name: 'claiming by the same message, eight times',
  rounds: 20,
  async round(stage, gated) {
    const { taskId } = await submit(stage.ctx)
    const outcomes = await stage.atOnce(
      times(() => claimBy({ taskId, dispatchVersion: 1 })),
      gateAt(gated, 'task', taskId),
    )
    must(count(outcomes, 'claimed') === 1, 'one claim wins', outcomes)
    const others = outcomes.filter((outcome) => outcome !== 'claimed')
    must(
      others.every((outcome) => outcome === 'stale' || outcome === 'contended'),
      'the others have nothing to do',
      outcomes,
    )
    const attempts = await readAttempts(stage.ctx, taskId)
    must(attempts.length === 1, 'one attempt is written', attempts)
    return 'one claimed, seven had nothing to do'
  },
}

const MIDDLE = 4

/** Seven of the ten messages, the one in the middle among them, in the opposite order. */
function sevenReversed<T>(messages: T[], middle: number): T[] {
  const others = messages.map((_, index) => index).filter((index) => index !== middle)
  const left = new Set(
    Array.from({ length: 3 }, () => others.splice(Math.floor(Math.random() * others.length), 1)[0]),
  )
  return messages.filter((_, index) => !left.has(index)).reverse()
}

const oppositeBatches: Race = {
  name: 'claiming batches of the same ten tasks, four in one order and four in the opposite one',
  rounds: 20,
  async round(stage, gated) {
    const tasks = []
    for (let each = 0; each < 10; each += 1) tasks.push(await submit(stage.ctx))
    const messages = tasks.map(({ taskId }) => ({ taskId, dispatchVersion: 1 }))
    const answers = await halves(
      stage,
      (session) => claimTasks(session, messages, { alone: false }),
      (session) => claimTasks(session, sevenReversed(messages, MIDDLE), { alone: false }),
      gateAt(gated, 'task', messages[MIDDLE]!.taskId),
    )
    const claims = [...answers.even, ...answers.odd]
    const claimed = claims.flat().filter(({ outcome }) => outcome === 'claimed')
    const distinct = new Set(claimed.map(({ taskId }) => taskId))
    must(claimed.length === 10 && distinct.size === 10, 'each task is claimed once', claimed.length)
    const winners = claims.filter((batch) => batch.some(({ outcome }) => outcome === 'claimed')).length
    return winners === 1 ? 'one session claimed all' : 'several sessions shared them'
  },
}

const publishAgainstCancel: Race = {
  name: 'publishing against cancelling, four of each',
  rounds: 24,
  async round(stage, gated) {
    const { ctx } = stage
    const { taskId, userId, lease, reservation } = await readyToPublish(stage)
    const answers = await halves(
      stage,
      (session) => publishResult(session, lease, reservation),
      (session) => cancelTask(session, { userId, taskId }),
      gateAt(gated, 'user', userId),
    )
    const { even: publications, odd: cancellations } = answers
    const published = count(publications, 'published') === 1
    if (published) {
      must(count(publications, 'lease_lost') === 3, 'it is published once', answers)
      must(count(cancellations, 'unchanged') === 4, 'cancelling what has ended changes nothing', answers)
    } else {
      must(count(publications, 'canceled') === 1, 'the request ends the task, once', answers)
      must(count(publications, 'lease_lost') === 3, 'the others may not write any more', answers)
      must(count(cancellations, 'requested') >= 1, 'a request came first', answers)
    }
    const { status } = await readTask(ctx, taskId)
    must(status === (published ? 'succeeded' : 'canceled'), 'the task ended as it was answered', status)
    await checkResult(ctx, taskId, reservation.objectKey, published)
    return published ? 'published' : 'canceled'
  },
}

/**
 * Gated, the recovering sessions' clocks are three minutes ahead and all of them have taken the task, so that the lock
 * alone decides. Otherwise the lease really ends within the round, by the database's clock, and they look for it as
 * maintenance does.
 */
const publishAgainstRecovery: Race = {
  name: 'publishing against the recovery of the lease, four of each',
  rounds: 30,
  async round(stage, gated) {
    const { ctx } = stage
    const { taskId, userId, lease, reservation } = await readyToPublish(stage)
    if (gated) {
      stage.sessions.forEach(({ clock }, index) => {
        if (index % 2 === 1) clock.now = new Date(Date.now() + 3 * 60_000)
      })
    } else {
      const milliseconds = Math.random() * 6
      await ctx.db.$client`
        update task set lease_expires_at = clock_timestamp() + ${`${milliseconds} milliseconds`}::interval where id = ${taskId}`
    }
    const answers = await halves(
      stage,
      (session) => publishResult(session, lease, reservation),
      gated ? recover(taskId) : recoverUntilEnded(taskId),
      gateAt(gated, 'user', userId),
    )
    const { even: publications, odd } = answers
    const recoveries = odd.flat()
    const published = count(publications, 'published') === 1
    const expectedRecoveries = published ? 0 : 1
    must(count(publications, 'lease_lost') === (published ? 3 : 4), 'at most one publishes', answers)
    must(count(recoveries, 'retry_wait') === expectedRecoveries, 'recovered once, or published', answers)
    const task = await readTask(ctx, taskId)
    must(
      task.status === (published ? 'succeeded' : 'retry_wait'),
      'the task is as it was answered',
      task.status,
    )
    await checkResult(ctx, taskId, reservation.objectKey, published)
    return published ? 'published' : 'recovered'
  },
}

/** Recovers again and again until the task runs no more; answers what became of it in this session. */
const recoverUntilEnded =
  (taskId: string): Operation<unknown[]> =>
  async (session) => {
    do await recoverExpiredLeases(session)
    while ((await readTask(session, taskId)).status === 'running')
    return recoveriesOf(session)
  }

const recover =
  (taskId: string): Operation<unknown[]> =>
  async (session) => {
    await recoverLease(session, taskId, crypto.randomUUID())
    return recoveriesOf(session)
  }

const recoveriesOf = ({ logged }: TestContext) =>
  logged.filter(({ event }) => event === 'task.recover').map(({ fields }) => fields.outcome)

const deadLetterAgainstClaim: Race = {
  name: 'a dead letter, handed out four times, against four claims by its message',
  rounds: 24,
  async round(stage, gated) {
    const { ctx } = stage
    const { taskId } = await submit(ctx)
    const letter = queueMessage({ taskId, dispatchVersion: 1 })
    const { even: claims } = await halves(
      stage,
      claimFirst({ taskId, dispatchVersion: 1 }),
      (session) => receiveDeadLetters(session, 'millrace-tasks-dead', [{ ...letter }]),
      gateAt(gated, 'task', taskId),
    )
    const lease = claims.flatMap((each) => (each.outcome === 'claimed' ? [each.lease] : []))[0]
    const receipts = await ctx.db.$client<{ class: string }[]>`select class from task_dead_letter`
    const task = await readTask(ctx, taskId)
    const seen = { claims: claims.map(({ outcome }) => outcome), receipts, status: task.status }
    must(receipts.length === 1, 'one receipt is kept', seen)
    if (!lease) {
      must(
        receipts[0]?.class === 'applied' && task.status === 'failed',
        'the dead letter ends the task',
        seen,
      )
      must(
        task.error_code === 'DELIVERY_EXHAUSTED' && task.attempt_count === 0,
        'no attempt is used up',
        task,
      )
      return 'the dead letter won'
    }
    must(receipts[0]?.class === 'deferred' && task.status === 'running', 'the lease stays', seen)
    must(!task.automatic_retry, 'nothing retries by itself any more', task)
    const reservation = await reserveResult(ctx, lease, RESULT)
    must(typeof reservation !== 'string', 'the running attempt goes on', reservation)
    must((await publishResult(ctx, lease, reservation)) === 'published', 'its result is published', seen)
    return 'a claim won'
  },
}

export const EXECUTION_RACES: readonly Race[] = [
  sameMessage,
  oppositeBatches,
  publishAgainstCancel,
  publishAgainstRecovery,
  deadLetterAgainstClaim,
]
