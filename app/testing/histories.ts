import fc from 'fast-check'
import { expect } from 'vitest'
import { cleanStorage, setDueFilesAside } from '../files/cleanup.server'
import { deleteFile } from '../files/deletion.server'
import { endAttempt, type AttemptFailure } from '../tasks/attempt-end.server'
import { cancelTask } from '../tasks/cancellation.server'
import { claimTasks, type Lease } from '../tasks/claim.server'
import { consumeMessages } from '../tasks/consumer.server'
import { receiveDeadLetters } from '../tasks/dead-letters.server'
import { deliverDue } from '../tasks/delivery.server'
import { settleTask } from '../tasks/reconciliation.server'
import { recoverExpiredLeases } from '../tasks/recovery.server'
import { renewLeases } from '../tasks/renewal.server'
import { publishResult, reserveResult, setStrayResultsAside, type Reservation } from '../tasks/results.server'
import { retryTask } from '../tasks/retry.server'
import { submitTask } from '../tasks/submission.server'
import type { TestContext } from './context'
import { createFile, createUser } from './factories'
import { brokenInvariants } from './invariants'
import { queueMessage } from './tasks'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const pick = fc.nat({ max: 999 })

export type Step =
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

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
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

/** A history of at most that many steps. */
export function historyOf(length: number): fc.Arbitrary<Step[]> {
  return fc.array(stepArbitrary, { minLength: 5, maxLength: length })
}

interface HeldLease {
  lease: Lease
  reservation: Reservation | null
}

/** One history's world: two accounts with three files, and what happened so far. */
export class World {
  constructor(
    private readonly ctx: TestContext,
    /** A session of its own on the same database, clock and storage. */
    private readonly openSession: () => Promise<TestContext>,
  ) {}

  private users: string[] = []
  private files: { id: string; userId: string }[] = []
  private tasks: { id: string; userId: string }[] = []
  private requests: { userId: string; key: string; fileId: string; taskId: string }[] = []
  private leases: HeldLease[] = []
  private ended = new Map<string, string>()
  private late: { release: () => void; done: Promise<unknown> }[] = []

  /** An empty site with two accounts and three files each. */
  async start() {
    await this.letLateSendersGo()
    await this.ctx.db.$client`delete from "user"`
    await this.ctx.db.$client`delete from task_dead_letter`
    this.ctx.sent.length = 0
    this.ctx.failNextSends(0)
    for (let user = 0; user < 2; user++) {
      const userId = (await createUser(this.ctx)).id
      this.users.push(userId)
      for (let file = 0; file < 3; file++) {
        const { id } = await createFile(this.ctx, {
          userId,
          expiresAt: new Date(this.ctx.clock.now!.getTime() + 9 * 24 * HOUR),
        })
        this.files.push({ id, userId })
      }
    }
  }

  /** One step. Throws where the engine answers what it must not. */
  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'submit':
        return this.submit(step)
      case 'consume':
        return this.withMessage(step.message, (body) => consumeMessages(this.ctx, [queueMessage(body)]))
      case 'deadLetter':
        return this.withMessage(step.message, (body) =>
          receiveDeadLetters(this.ctx, 'dead', [queueMessage(body)]),
        )
      case 'claim':
        return this.withMessage(step.message, async (body) => {
          const [claim] = await claimTasks(this.ctx, [body], { alone: true })
          if (claim?.outcome === 'claimed') this.leases.push({ lease: claim.lease, reservation: null })
        })
      case 'renew':
        return this.withLease(step.lease, ({ lease }) => renewLeases(this.ctx, [{ lease, report: null }]))
      case 'reserve':
        return this.withLease(step.lease, async (held) => {
          const bytes = new TextEncoder().encode(`result of ${held.lease.version}`)
          const reservation = await reserveResult(this.ctx, held.lease, {
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
          const published = await publishResult(this.ctx, lease, reservation)
          if (step.do === 'publish' || published !== 'published') return
          // The worker never learned of it: it ends the attempt, and the message comes again.
          expect(await endAttempt(this.ctx, lease, { unclassified: true })).toBe('lease_lost')
        })
      case 'end':
        return this.withLease(step.lease, async ({ lease }) => {
          const current = await this.isCurrent(lease)
          const outcome = await endAttempt(this.ctx, lease, step.failure)
          expect(outcome === 'lease_lost').toBe(!current)
        })
      case 'cancel':
        return this.withTask(step.task, ({ id, userId }) => cancelTask(this.ctx, { userId, taskId: id }))
      case 'settle':
        return this.withTask(step.task, ({ id }) =>
          settleTask(this.ctx, { taskId: id, as: step.as, reason: 'model' }),
        )
      case 'retry':
        return this.withTask(step.task, async ({ id, userId }) => {
          const [row] = await this.ctx.db.$client<
            { attempt_count: number }[]
          >`select attempt_count from task where id = ${id}`
          const outcome = await retryTask(this.ctx, { userId, taskId: id, attempts: row!.attempt_count })
          if (outcome === 'retried') this.ended.delete(id)
        })
      case 'deleteFile': {
        const file = this.files[step.file % this.files.length]!
        await deleteFile(this.ctx, { userId: file.userId, fileId: file.id })
        return
      }
      case 'advance':
        return this.ctx.advance(step.milliseconds)
      case 'failSend':
        return this.ctx.failNextSends(1)
      case 'recover':
        return void (await recoverExpiredLeases(this.ctx))
      case 'deliver':
        return void (await deliverDue(this.ctx))
      case 'deliverLate':
        return this.deliverLate()
      case 'letLateSendersGo':
        return this.letLateSendersGo()
      case 'setAside':
        await setStrayResultsAside(this.ctx)
        return void (await setDueFilesAside(this.ctx))
      case 'clean':
        return void (await cleanStorage(this.ctx))
    }
  }

  private async submit({ file, repeat, deterministic }: Extract<Step, { do: 'submit' }>) {
    const known = repeat === null ? undefined : this.requests[repeat % Math.max(1, this.requests.length)]
    const { id: fileId, userId } = known
      ? { id: known.fileId, userId: known.userId }
      : this.files[file % this.files.length]!
    const requestKey = known?.key ?? crypto.randomUUID()
    const answer = await submitTask(this.ctx, {
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
      await this.ctx.db.$client`update task set deterministic = false where id = ${answer.taskId}`
  }

  /** Whether this lease may write: told from the rows, not from what the engine says. */
  private async isCurrent({ taskId, version }: Lease): Promise<boolean> {
    const [row] = await this.ctx.db.$client`
      select from task where id = ${taskId} and status = 'running' and lease_version = ${version}
                         and lease_expires_at > ${this.ctx.clock.now!.toISOString()}`
    return row !== undefined
  }

  /** A sender that has taken its deliveries and sends them only later. */
  private async deliverLate() {
    const session = await this.openSession()
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
        this.ctx.sent.push({ ...body, delaySeconds: options?.delaySeconds })
        return queue.send(body, options)
      },
      sendBatch: async (messages) => {
        arrived()
        await gate
        this.ctx.sent.push(...[...messages].map(({ body }) => body))
        return queue.sendBatch(messages)
      },
    }
    const done = deliverDue(session).finally(() => session.db.$client.end())
    await Promise.race([sending, done])
    this.late.push({ release, done })
  }

  private async letLateSendersGo() {
    for (const { release, done } of this.late.splice(0)) {
      release()
      await done
    }
  }

  private async withMessage(
    at: number,
    use: (body: { taskId: string; dispatchVersion: number }) => Promise<unknown>,
  ) {
    if (this.ctx.sent.length === 0) return
    const { taskId, dispatchVersion } = this.ctx.sent[at % this.ctx.sent.length]!
    await use({ taskId, dispatchVersion })
  }

  private async withLease(at: number, use: (held: HeldLease) => Promise<unknown>) {
    if (this.leases.length > 0) await use(this.leases[at % this.leases.length]!)
  }

  private async withTask(at: number, use: (task: { id: string; userId: string }) => Promise<unknown>) {
    if (this.tasks.length > 0) await use(this.tasks[at % this.tasks.length]!)
  }

  /** Everything that must be true after every step. Reads only. */
  async check(after: Step) {
    const sql = this.ctx.db.$client
    const broken = await brokenInvariants(sql, this.ctx.site.tasks)
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
    this.ctx.failNextSends(0)
    for (let minutes = 0; minutes < 60; minutes++) {
      this.ctx.advance(2 * MINUTE)
      await recoverExpiredLeases(this.ctx)
      await deliverDue(this.ctx)
      for (const { taskId, dispatchVersion } of this.ctx.sent.splice(0)) {
        await consumeMessages(this.ctx, [queueMessage({ taskId, dispatchVersion })])
      }
      const [left] = await this.ctx.db.$client<{ count: number }[]>`
        select count(*)::integer as count from task where finished_at is null and status <> 'reconciling'`
      if (left?.count === 0) return
    }
    expect.fail('a task never ended')
  }
}
