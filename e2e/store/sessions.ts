import { cleanStorage } from '../../app/files/cleanup.server'
import { closeDatabase, connect, type Database } from '../../app/db/client.server'
import { eventually } from '../../app/testing/eventually'
import { brokenInvariants } from '../../app/testing/invariants'
import { recordingContext, type TestContext } from '../../app/testing/recording-context'

export const SESSIONS = 8

/** A row whose lock holds everyone up, until all of them have come to it. */
export interface Gate {
  table: 'user' | 'file' | 'task'
  id: string
}

export interface Stage {
  /** For preparing a round and for looking at what it left. */
  ctx: TestContext
  /** Each is a connection of its own, with a queue and a clock of its own. */
  sessions: readonly TestContext[]
  /** Numbers of the sessions' processes in PostgreSQL. */
  backends: readonly number[]
  /** Starts one operation in each session, in any order and all at once; see `openStage`. */
  atOnce: <T>(operations: readonly Operation<T>[], gate: Gate | null) => Promise<T[]>
  /** The time that everyone works with; null is the database's own. */
  setTime: (now: Date | null) => void
  /** Takes every account away, with all that belongs to it. */
  clear: () => Promise<void>
  /** Throws when something doesn't hold that must hold at every moment. */
  checkInvariants: () => Promise<void>
  close: () => Promise<void>
}

export type Operation<T> = (session: TestContext) => Promise<T>

/** A rule of the task system that did not hold. */
export class Violation extends Error {}

/** Throws a `Violation` that shows what was seen, unless the rule holds. */
export function must(holds: boolean, rule: string, seen: unknown): asserts holds {
  if (!holds) throw new Violation(`${rule}\n    seen: ${JSON.stringify(seen)}`)
}

/**
 * Eight sessions on one database and bucket. `atOnce` with a gate first takes that row's lock, lets the sessions come one
 * after the other, each when PostgreSQL shows the one before it waiting for a lock, and then lets go: they have all begun,
 * none has decided, and who comes first is drawn. Without a gate they just start within a few milliseconds. Either way an error in any of them is a violation, a deadlock or a lock timeout as much as any other.
 */
export async function openStage(databaseUrl: string, storage: R2Bucket): Promise<Stage> {
  const databases = Array.from({ length: SESSIONS + 2 }, (_, index) =>
    connect(databaseUrl, { applicationName: `millrace validation ${index}` }),
  )
  const [gatekeeper, ...others] = databases as [Database, ...Database[]]
  const [ctx, ...sessions] = others.map((db) => recordingContext({ db, storage })) as [
    TestContext,
    ...TestContext[],
  ]
  const everyone = [ctx, ...sessions]
  // Connected now: a round must not begin with eight handshakes.
  await Promise.all([gatekeeper.$client`select 1`, ctx.db.$client`select 1`])
  const backends = await Promise.all(sessions.map(backendOf))
  must(new Set(backends).size === SESSIONS, 'every session is one of PostgreSQL’s own', backends)

  async function atOnce<T>(operations: readonly Operation<T>[], gate: Gate | null): Promise<T[]> {
    const running: Promise<T>[] = []
    const start = (index: number) => (running[index] = operations[index]!(sessions[index]!))
    const order = shuffled(operations.length)
    if (gate) await behind(gatekeeper, gate, backends, order, start)
    else await Promise.all(order.map((index) => soon().then(() => void start(index))))
    const settled = await Promise.allSettled(running)
    return settled.map((result, index) => {
      if (result.status === 'fulfilled') return result.value
      throw new Violation(`no session fails\n    session ${index + 1}: ${describe(result.reason)}`)
    })
  }

  return {
    ctx,
    sessions,
    backends,
    atOnce,
    setTime: (now) => everyone.forEach(({ clock }) => (clock.now = now)),
    clear: async () => {
      await ctx.db.$client`delete from "user"`
      // Their objects too, or every round would look through those of all before it.
      ctx.clock.now = new Date(Date.now() + 30 * 24 * 60 * 60_000)
      while ((await cleanStorage(ctx)) > 0);
      await ctx.db.$client`delete from task_dead_letter`
      for (const { sent, logged, clock } of everyone) {
        sent.length = logged.length = 0
        clock.now = null
      }
    },
    checkInvariants: async () => {
      const broken = await brokenInvariants(ctx.db.$client, ctx.site.tasks)
      must(broken.length === 0, 'what holds between rows at every moment', broken)
    },
    close: async () => void (await Promise.allSettled(databases.map(closeDatabase))),
  }
}

/** Starts one after the other, each when PostgreSQL shows the one before it waiting. */
async function behind(
  db: Database,
  { table, id }: Gate,
  backends: readonly number[],
  order: number[],
  start: (index: number) => Promise<unknown>,
): Promise<void> {
  const running: Promise<unknown>[] = []
  try {
    await db.$client.begin(async (sql) => {
      await sql`select from ${sql(table)} where id = ${id} for no key update`
      for (const index of order) {
        running.push(start(index))
        const waiting = () => sql`select from pg_locks where not granted and pid = ${backends[index]!}`
        await eventually(
          `session ${index + 1} at the lock of one ${table} row`,
          waiting,
          (rows) => rows.length > 0,
          {
            // All of them stay well below the database's lock_timeout of five seconds.
            timeoutMs: 2_000,
            everyMs: 1,
          },
        )
      }
    })
  } catch (error) {
    const ended = await Promise.allSettled(running)
    const failed = ended.find((each) => each.status === 'rejected')
    throw new Violation(`everyone waits for the same lock\n    ${describe(failed?.reason ?? error)}`)
  }
}

/** A few milliseconds, which differ: about as long as what races. */
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 4))

async function backendOf({ db }: TestContext): Promise<number> {
  const [row] = await db.$client<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row!.pid
}

/** An error with its SQLSTATE, where it has one. */
export function describe(error: unknown): string {
  return error instanceof Error && 'code' in error ? `${String(error.code)} ${error.message}` : String(error)
}

/** The numbers below `length`, in a random order. */
function shuffled(length: number): number[] {
  return Array.from({ length }, (_, index) => ({ index, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ index }) => index)
}
