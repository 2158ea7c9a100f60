import type { Sql } from '../db/client.server'
import { eventually } from './eventually'

const LOCK = 4_711

/**
 * Where a test can stop the Worker: in the statement that reserves an attempt's result, in the one that publishes it, or in
 * the one that makes an upload a file.
 */
export type HoldPoint = 'reserve' | 'publish' | 'keep'

const TRIGGERS: Record<HoldPoint, string> = {
  reserve: `before insert on file for each row when (new.origin = 'result')`,
  publish: `before update on task for each row when (new.status = 'succeeded')`,
  keep: `before update on file for each row when (old.state = 'uploading' and new.state = 'ready' and new.origin = 'upload')`,
}

export interface Hold {
  /** Waits until the Worker stands there. */
  reached: () => Promise<void>
  /** Ends the database's side of the connection, as the database itself does once it notices that its client is gone. */
  breakConnection: () => Promise<void>
  /** Lets whoever waits there go on, and nobody stop there again. */
  release: () => Promise<void>
}

/**
 * From now on the Worker's statement at that point waits in the middle of its transaction, on a lock that the test
 * holds. `sql` must have one connection only, which keeps that lock.
 */
export async function holdAt(sql: Sql, point: HoldPoint): Promise<Hold> {
  await sql`select pg_advisory_lock(${LOCK})`
  await sql.unsafe(`
    create function hold() returns trigger language plpgsql as $$
    begin
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock_shared(${LOCK});
      return new;
    end $$;
    create trigger hold ${TRIGGERS[point]} execute function hold();`)
  const waiting = () => sql<{ pid: number }[]>`
    select pid from pg_locks
     where locktype = 'advisory' and objid = ${LOCK} and not granted
       and database = (select oid from pg_database where datname = current_database())`
  const waitUntil = async (count: number) =>
    void (await eventually(
      `${count} of the Worker’s statements at the hold`,
      waiting,
      (found) => found.length === count,
    ))
  return {
    reached: () => waitUntil(1),
    breakConnection: async () => {
      for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid})`
      await waitUntil(0)
    },
    release: async () => {
      await sql`select pg_advisory_unlock(${LOCK})`
      await waitUntil(0)
      // Waits for the transaction that stood there: it has the table until it ends.
      await sql`drop function hold() cascade`
    },
  }
}

/**
 * Starts all of them while that row is locked, and lets go once every one waits for a lock: they have all begun and none has
 * decided. `sql` is a connection that none of them uses.
 */
export async function meetAtLock<T>(
  sql: Sql,
  { table, id }: { table: 'user' | 'file' | 'task'; id: string },
  start: () => Promise<T>[],
): Promise<T[]> {
  let started: Promise<T>[] = []
  await sql.begin(async (tx) => {
    await tx`select from ${tx(table)} where id = ${id} for no key update`
    started = start()
    const waiting = async () => {
      // Within a transaction PostgreSQL shows what it showed before, unless it is told to look again.
      await tx`select pg_stat_clear_snapshot()`
      return tx`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    }
    await eventually(
      `${started.length} sessions at the lock of a ${table}`,
      waiting,
      (found) => found.length >= started.length,
      { everyMs: 5 },
    )
  })
  return Promise.all(started)
}

/** From now on every claim fails, so that what is delivered stays in line and in the queue. Answers how to end that. */
export function refuseClaims(sql: Sql): Promise<() => Promise<void>> {
  return refuse(sql, { name: 'refuse_claims', writes: 'before insert on task_attempt for each row' })
}

/** Ends what `refuseClaims` has begun, on any connection: the refusal stays in the database until then. */
export async function acceptClaims(sql: Sql): Promise<void> {
  await sql`drop function refuse_claims() cascade`
}

/** From now on no worker can write down that its attempt failed: only the end of its lease tells. Answers how to end that. */
export function refuseFailures(sql: Sql): Promise<() => Promise<void>> {
  const writes = `before update on task_attempt for each row when (new.outcome = 'failed')`
  return refuse(sql, { name: 'refuse_failures', writes })
}

/** From now on the database refuses every update of these rows, or only those that change one column. Answers how to end that. */
export function refuseUpdates(
  sql: Sql,
  { table, ids, of }: { table: 'task' | 'file'; ids: readonly string[]; of?: 'status' | 'state' },
): Promise<() => Promise<void>> {
  const these = `new.id in (${ids.map((id) => `'${id}'`).join(', ')})`
  const change = of ? ` and new.${of} <> old.${of}` : ''
  return refuse(sql, {
    name: 'refuse_updates',
    writes: `before update on ${table} for each row when (${these}${change})`,
  })
}

async function refuse(sql: Sql, { name, writes }: { name: string; writes: string }) {
  await sql.unsafe(`
    create function ${name}() returns trigger language plpgsql as $$
    begin
      raise exception 'refused for a test: ${name}';
    end $$;
    create trigger ${name} ${writes} execute function ${name}();`)
  return async () => void (await sql.unsafe(`drop function ${name}() cascade`))
}
