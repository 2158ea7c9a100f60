import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { cleanDeletedFiles, setDueFilesAside } from '../files/cleanup.server'
import { deleteFile } from '../files/deletion.server'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { brokenInvariants } from '../testing/invariants'
import { queueMessage } from '../testing/tasks'
import { endAttempt, type AttemptFailure } from './attempt-end.server'
import { cancelTask } from './cancellation.server'
import { claimTasks, type Lease } from './claim.server'
import { consumeMessages } from './consumer.server'
import { receiveDeadLetters } from './dead-letters.server'
import { deliverDue } from './delivery.server'
import { settleTask } from './reconciliation.server'
import { recoverExpiredLeases } from './recovery.server'
import { renewLeases } from './renewal.server'
import { publishResult, reserveResult, setStrayResultsAside, type Reservation } from './results.server'
import { retryTask } from './retry.server'
import { TASK_STATUSES, TRANSITIONS } from './states'
import { submitTask } from './submission.server'

/**
 * Random histories of everything that can happen to tasks, with time moved at random, on real PostgreSQL: after every
 * step the invariants hold, and in the end every task ends. A failing history shrinks and prints itself. `npm run model`
 * runs thousands; here a few keep the test honest.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 12)
const LENGTH = 40

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  // Every change of a status that any history makes is one that the state machine has.
  const allowed = TASK_STATUSES.flatMap((from) => TRANSITIONS[from].map((to) => `'${from} ${to}'`))
  await ctx.db.$client.unsafe(`
    create function only_transitions() returns trigger language plpgsql as $$
    begin
      if old.status <> new.status and old.status || ' ' || new.status not in (${allowed.join(', ')}) then
        raise exception '% became %', old.status, new.status;
      end if;
      return new;
    end $$;
    create trigger only_transitions before update on task for each row execute function only_transitions()`)
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const pick = fc.nat({ max: 999 })

type Step =
  | { do: 'submit'; file: number; repeat: number | null; deterministic: boolean }
  | { do: 'consume' | 'claim' | 'deadLetter'; message: number }
  | { do: 'renew' | 'reserve' | 'publish' | 'publishAndLoseAnswer'; lease: number }
  | { do: 'end'; lease: number; failure: AttemptFailure }
  | { do: 'cancel' | 'retry'; task: number }
  | { do: 'settle'; task: number; as: 'failed' | 'canceled' }
  | { do: 'deleteFile'; file: number }
  | { do: 'advance'; milliseconds: number }
  | { do: 'failSend' | 'recover' | 'deliver' | 'deliverLate' | 'letLateSendersGo' | 'setAside' | 'clean' }

const failures: AttemptFailure[] = [
  { code: 'STORAGE_UNAVAILABLE' },
  { code: 'STORAGE_FULL' },
  { code: 'INPUT_NOT_UTF8' },
  { unclassified: true },
]
const plain = <T extends string>(...names: T[]) => fc.constantFrom(...names).map((name) => ({ do: name }))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      file: pick,
      repeat: fc.option(pick, { freq: 4 }),
      deterministic: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('consume', 'claim', 'claim', 'deadLetter'), message: pick }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('renew', 'reserve', 'reserve', 'publish', 'publish', 'publishAndLoseAnswer'),
      lease: pick,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      lease: pick,
      failure: fc.constantFrom(...failures),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'retry', 'retry'), task: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      task: pick,
      as: fc.constantFrom('failed', 'canceled'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteFile' as const), file: pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      milliseconds: fc.constantFrom(
        SECOND,
        10 * SECOND,
        30 * SECOND,
        2 * MINUTE,
        16 * MINUTE,
        HOUR,
        25 * HOUR,
        8 * 24 * HOUR,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: plain(
      'failSend',
      'recover',
      'recover',
      'deliver',
      'deliver',
      'deliverLate',
      'letLateSendersGo',
      'setAside',
      'clean',
    ),
  },
) as fc.Arbitrary<Step>

interface HeldLease {
  lease: Lease
  reservation: Reservation | null
}

/** One history's world: two accounts with three files, and what happened so far. */
class World {
  users: string[] = []
  files: { id: string; userId: string }[] = []
  tasks: { id: string; userId: string }[] = []
  requests: { userId: string; key: string; fileId: string; taskId: string }[] = []
  leases: HeldLease[] = []
  ended = new Map<string, string>()
  late: { release: () => void; done: Promise<unknown> }[] = []

  async start() {
    await this.letLateSendersGo()
    await ctx.db.$client`delete from "user"`
    await ctx.db.$client`delete from task_dead_letter`
    ctx.sent.length = 0
    ctx.failNextSends(0)
    for (let user = 0; user < 2; user++) {
      const userId = (await createUser(ctx)).id
      this.users.push(userId)
      for (let file = 0; file < 3; file++) {
        const { id } = await createFile(ctx, {
          userId,
          expiresAt: new Date(ctx.clock.now!.getTime() + 9 * 24 * HOUR),
        })
        this.files.push({ id, userId })
      }
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'submit':
        return this.submit(step)
      case 'consume':
        return this.withMessage(step.message, (body) => consumeMessages(ctx, [queueMessage(body)]))
      case 'deadLetter':
        return this.withMessage(step.message, (body) => receiveDeadLetters(ctx, 'dead', [queueMessage(body)]))
      case 'claim':
        return this.withMessage(step.message, async (body) => {
          const [claim] = await claimTasks(ctx, [body], { alone: true })
          if (claim?.outcome === 'claimed') this.leases.push({ lease: claim.lease, reservation: null })
        })
      case 'renew':
        return this.withLease(step.lease, ({ lease }) => renewLeases(ctx, [{ lease, report: null }]))
      case 'reserve':
        return this.withLease(step.lease, async (held) => {
          const bytes = new TextEncoder().encode(`result of ${held.lease.version}`)
          const reservation = await reserveResult(ctx, held.lease, {
            bytes,
            type: 'text/plain',
            name: 'out.txt',
          })
          if (typeof reservation !== 'string') held.reservation = reservation
        })
      case 'publish':
      case 'publishAndLoseAnswer':
        return this.withLease(step.lease, async ({ lease, reservation }) => {
          if (!reservation) return
          const published = await publishResult(ctx, lease, reservation)
          if (step.do === 'publish' || published !== 'published') return
          // The worker never learned of it: it ends the attempt, and the message comes again.
          expect(await endAttempt(ctx, lease, { unclassified: true })).toBe('lease_lost')
        })
      case 'end':
        return this.withLease(step.lease, async ({ lease }) => {
          const current = await this.isCurrent(lease)
          const outcome = await endAttempt(ctx, lease, step.failure)
          expect(outcome === 'lease_lost').toBe(!current)
        })
      case 'cancel':
        return this.withTask(step.task, ({ id, userId }) => cancelTask(ctx, { userId, taskId: id }))
      case 'settle':
        return this.withTask(step.task, ({ id }) =>
          settleTask(ctx, { taskId: id, as: step.as, reason: 'model' }),
        )
      case 'retry':
        return this.withTask(step.task, async ({ id, userId }) => {
          const [row] = await ctx.db.$client<
            { attempt_count: number }[]
          >`select attempt_count from task where id = ${id}`
          const outcome = await retryTask(ctx, { userId, taskId: id, attempts: row!.attempt_count })
          if (outcome === 'retried') this.ended.delete(id)
        })
      case 'deleteFile': {
        const file = this.files[step.file % this.files.length]!
        await deleteFile(ctx, { userId: file.userId, fileId: file.id })
        return
      }
      case 'advance':
        return ctx.advance(step.milliseconds)
      case 'failSend':
        return ctx.failNextSends(1)
      case 'recover':
        return void (await recoverExpiredLeases(ctx))
      case 'deliver':
        return void (await deliverDue(ctx))
      case 'deliverLate':
        return this.deliverLate()
      case 'letLateSendersGo':
        return this.letLateSendersGo()
      case 'setAside':
        await setStrayResultsAside(ctx)
        return void (await setDueFilesAside(ctx))
      case 'clean':
        return void (await cleanDeletedFiles(ctx))
    }
  }

  async submit({ file, repeat, deterministic }: Extract<Step, { do: 'submit' }>) {
    const known = repeat === null ? undefined : this.requests[repeat % Math.max(1, this.requests.length)]
    const { id: fileId, userId } = known
      ? { id: known.fileId, userId: known.userId }
      : this.files[file % this.files.length]!
    const requestKey = known?.key ?? crypto.randomUUID()
    const answer = await submitTask(ctx, {
      userId,
      requestKey,
      fileId,
      processor: 'text-normalize',
      params: {},
    })
    if (known) expect(answer).toEqual({ outcome: 'repeated', taskId: known.taskId })
    if (answer.outcome !== 'created') return
    this.tasks.push({ id: answer.taskId, userId })
    this.requests.push({ userId, key: requestKey, fileId, taskId: answer.taskId })
    if (!deterministic)
      await ctx.db.$client`update task set deterministic = false where id = ${answer.taskId}`
  }

  /** Whether this lease may write: told from the rows, not from what the engine says. */
  async isCurrent({ taskId, version }: Lease): Promise<boolean> {
    const [row] = await ctx.db.$client`
      select from task where id = ${taskId} and status = 'running' and lease_version = ${version}
                         and lease_expires_at > ${ctx.clock.now!.toISOString()}`
    return row !== undefined
  }

  /** A sender that has taken its deliveries and sends them only later. */
  async deliverLate() {
    const session = await testContext(database, { clock: ctx.clock, storage: ctx.storage })
    let release: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let arrived: () => void = () => {}
    const sending = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const queue = session.queue!
    session.queue = {
      send: async (body, options) => {
        arrived()
        await gate
        ctx.sent.push({ ...body, delaySeconds: options?.delaySeconds })
        return queue.send(body, options)
      },
      sendBatch: async (messages) => {
        arrived()
        await gate
        ctx.sent.push(...[...messages].map(({ body }) => body))
        return queue.sendBatch(messages)
      },
    }
    const done = deliverDue(session).finally(() => session.db.$client.end())
    await Promise.race([sending, done])
    this.late.push({ release, done })
  }

  async letLateSendersGo() {
    for (const { release, done } of this.late.splice(0)) {
      release()
      await done
    }
  }

  async withMessage(
    at: number,
    use: (body: { taskId: string; dispatchVersion: number }) => Promise<unknown>,
  ) {
    if (ctx.sent.length === 0) return
    const { taskId, dispatchVersion } = ctx.sent[at % ctx.sent.length]!
    await use({ taskId, dispatchVersion })
  }

  async withLease(at: number, use: (held: HeldLease) => Promise<unknown>) {
    if (this.leases.length > 0) await use(this.leases[at % this.leases.length]!)
  }

  async withTask(at: number, use: (task: { id: string; userId: string }) => Promise<unknown>) {
    if (this.tasks.length > 0) await use(this.tasks[at % this.tasks.length]!)
  }

  /** Everything that must be true after every step. Reads only. */
  async check(after: Step) {
    const sql = ctx.db.$client
    const broken = await brokenInvariants(sql, ctx.site.tasks)
    expect(broken, `after ${JSON.stringify(after)}`).toEqual([])

    const rows = await sql<{ id: string; ended: string }[]>`
      select id, concat_ws(' ', status, error_code, result_file_id) as ended from task where finished_at is not null`
    const now = new Map(rows.map(({ id, ended }) => [id, ended]))
    for (const [id, ended] of this.ended)
      expect(now.get(id), `an ended task, after ${JSON.stringify(after)}`).toBe(ended)
    this.ended = now
  }

  /** With everything working again, every task ends by itself, but for those that wait for an operator. */
  async finish() {
    await this.letLateSendersGo()
    ctx.failNextSends(0)
    for (let minutes = 0; minutes < 60; minutes++) {
      ctx.advance(2 * MINUTE)
      await recoverExpiredLeases(ctx)
      await deliverDue(ctx)
      for (const { taskId, dispatchVersion } of ctx.sent.splice(0)) {
        await consumeMessages(ctx, [queueMessage({ taskId, dispatchVersion })])
      }
      const [left] = await ctx.db.$client<{ count: number }[]>`
        select count(*)::integer as count from task where finished_at is null and status <> 'reconciling'`
      if (left?.count === 0) return
    }
    expect.fail('a task never ended')
  }
}

it(
  `${RUNS} random histories keep every invariant, and every task ends`,
  { timeout: Math.max(60_000, RUNS * 5_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: LENGTH }), async (history) => {
        const world = new World()
        await world.start()
        for (const step of history) {
          await world.take(step)
          await world.check(step)
        }
        await world.finish()
        await world.check({ do: 'recover' })
      }),
      {
        numRuns: RUNS,
        endOnFailure: false,
        seed: process.env.MODEL_SEED ? Number(process.env.MODEL_SEED) : undefined,
      },
    )
  },
)
