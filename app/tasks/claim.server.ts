import type { AppContext } from '../context.server'
import { INFLIGHT_INPUT_BYTES, LEASE_MS } from '../config/limits'
import { arrayOf, interval, timeOf } from '../db/values.server'
import type { TaskMessage } from './message.server'
import { PROCESSORS, processorKey } from './processors/registry.server'
import type { Parameters } from './processors/processor'

/** A claimed task: what its one attempt needs, and the version that proves its right to write. */
export interface Lease {
  taskId: string
  userId: string
  version: number
  attempt: number
  processor: string
  processorVersion: number
  params: Parameters
  input: {
    name: string
    type: string
    /** As it was when the task was made. */
    size: number
    sha256: string
    /** As it is stored now; null when the file is gone, isn't ready or isn't this account's. */
    stored: { objectKey: string; size: number; sha256: string } | null
  }
}

export type ClaimOutcome =
  | { outcome: 'claimed'; taskId: string; lease: Lease }
  /** Has to be claimed alone or in a later round of this invocation, when its turn to start comes. */
  | { outcome: 'later'; taskId: string; alone: boolean }
  /** Nothing to do for this message: the task runs, has ended, is gone, or waits for a newer message. */
  | { outcome: 'stale'; taskId: string }
  /** A retry that came before its time. */
  | { outcome: 'early'; taskId: string; delaySeconds: number }
  /** A processor version that this Worker doesn't know. */
  | { outcome: 'unknown_processor'; taskId: string }
  /** Somebody else was changing the task: the message is worth another look. */
  | { outcome: 'contended'; taskId: string }

interface ClaimRow {
  task_id: string
  outcome: ClaimOutcome['outcome']
  alone: boolean
  delay_seconds: number | null
  user_id: string
  lease_version: number
  attempt_count: number
  processor: string
  processor_version: number
  params: Parameters
  input_name: string
  input_type: string
  input_size: string
  input_sha256: string
  object_key: string | null
  stored_size: string
  stored_sha256: string
}

/**
 * Takes a lease of two minutes on each delivered task that may start now, and writes its attempt, in one statement. The
 * guard stands in the update itself, on the newest version of the row: of two claims of one message one wins. Rows are
 * locked in id order, so that claims of the same tasks in opposite order wait for each other instead of deadlocking; and
 * not skipped, because a skipped row would look stale.
 *
 * `alone` false claims the light tasks that fit into memory together and answers `later` for the others, which are then
 * claimed singly: a task that kills its worker must burn its own budget, not its neighbours'.
 */
export async function claimTasks(
  ctx: AppContext,
  messages: TaskMessage[],
  { alone }: { alone: boolean },
): Promise<ClaimOutcome[]> {
  const rows = await ctx.db.$client<ClaimRow[]>`
    with wanted as (
      select id, max(version) as version
        from jsonb_to_recordset(${JSON.stringify(messages.map(({ taskId, dispatchVersion }) => ({ id: taskId, version: dispatchVersion })))}::jsonb)
          as w (id uuid, version integer)
       group by id
    ), seen as (
      select t.id, w.version, t.retry_at,
             t.next_delivery_at is not null and w.version between t.dispatch_floor and t.dispatch_version as waiting,
             engine.processor_key(t.processor, t.processor_version) = any (${arrayOf(PROCESSORS.map(processorKey))}::text[]) as known,
             t.suspect or engine.processor_key(t.processor, t.processor_version) = any (${arrayOf(heavyKeys())}::text[]) as singly,
             coalesce(sum(t.input_size) filter (where t.next_delivery_at is not null) over (order by t.id), 0)
               <= ${INFLIGHT_INPUT_BYTES} as fits
        from wanted w join task t on t.id = w.id
    ), startable as (
      select t.id
        from task t join seen s on s.id = t.id
       where s.waiting and s.known and (${alone} or (s.fits and not s.singly))
         and (t.status in ('pending', 'queued')
              or (t.status = 'retry_wait' and t.retry_at <= engine.now(${timeOf(ctx.clock)})))
         and s.version between t.dispatch_floor and t.dispatch_version
       order by t.id
         for no key update of t
    ), claimed as (
      update task t
         set status = 'running', attempt_count = t.attempt_count + 1, lease_version = t.lease_version + 1,
             lease_expires_at = engine.now(${timeOf(ctx.clock)}) + ${interval(LEASE_MS)}::interval,
             started_at = coalesce(t.started_at, engine.now(${timeOf(ctx.clock)})),
             updated_at = engine.now(${timeOf(ctx.clock)}), error_code = null, retry_at = null,
             delivery_token = null, next_delivery_at = null, waiting_since = null
        from startable s join wanted w on w.id = s.id
       where t.id = s.id
         and (t.status in ('pending', 'queued')
              or (t.status = 'retry_wait' and t.retry_at <= engine.now(${timeOf(ctx.clock)})))
         and w.version between t.dispatch_floor and t.dispatch_version
         and t.cancel_requested_at is null
      returning t.*
    ), attempt as (
      insert into task_attempt (task_id, lease_version, started_at)
      select id, lease_version, updated_at from claimed
    )
    select w.id as task_id,
           case when c.id is not null then 'claimed'
                when s.waiting is not true then 'stale'
                when not s.known then 'unknown_processor'
                when s.retry_at > engine.now(${timeOf(ctx.clock)}) then 'early'
                when not ${alone} and (s.singly or not s.fits) then 'later'
                else 'contended' end as outcome,
           coalesce(s.singly, false) as alone,
           ceil(extract(epoch from s.retry_at - engine.now(${timeOf(ctx.clock)})))::integer as delay_seconds,
           c.user_id, c.lease_version, c.attempt_count, c.processor, c.processor_version, c.params,
           c.input_name, c.input_type, c.input_size, c.input_sha256,
           f.object_key, f.byte_size as stored_size, f.sha256 as stored_sha256
      from wanted w
      left join seen s on s.id = w.id
      left join claimed c on c.id = w.id
      left join file f on f.id = c.input_file_id and f.user_id = c.user_id and f.state = 'ready'`
  return rows.map(toOutcome)
}

/** Tasks of these processors start alone. */
function heavyKeys(): string[] {
  return PROCESSORS.filter((processor) => processor.heavy).map(processorKey)
}

function toOutcome(row: ClaimRow): ClaimOutcome {
  switch (row.outcome) {
    case 'claimed':
      return { outcome: 'claimed', taskId: row.task_id, lease: toLease(row) }
    case 'early':
      return { outcome: 'early', taskId: row.task_id, delaySeconds: Math.max(1, row.delay_seconds ?? 1) }
    case 'later':
      return { outcome: 'later', taskId: row.task_id, alone: row.alone }
    default:
      return { outcome: row.outcome, taskId: row.task_id }
  }
}

function toLease(row: ClaimRow): Lease {
  return {
    taskId: row.task_id,
    userId: row.user_id,
    version: row.lease_version,
    attempt: row.attempt_count,
    processor: row.processor,
    processorVersion: row.processor_version,
    params: row.params,
    input: {
      name: row.input_name,
      type: row.input_type,
      size: Number(row.input_size),
      sha256: row.input_sha256,
      stored: row.object_key
        ? { objectKey: row.object_key, size: Number(row.stored_size), sha256: row.stored_sha256 }
        : null,
    },
  }
}
