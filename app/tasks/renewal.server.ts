import type { AppContext } from '../context.server'
import { ATTEMPT_MAX_MS, LEASE_MS } from '../config/limits'
import { interval, timeOf } from '../db/values.server'
import type { Lease } from './claim.server'
import type { StageReport } from './processors/processor'

export interface Renewal {
  lease: Pick<Lease, 'taskId' | 'version'>
  /** The latest progress, if the processor has told any. */
  report: StageReport | null
}

export type RenewalOutcome = 'renewed' | 'cancel_requested' | 'lost'

/**
 * Renews all leases of an invocation and writes their progress, in one statement. `lost`: this lease may not write any
 * more. `cancel_requested`: still held, but its owner wants it to end. No lease reaches beyond 15 minutes from the
 * attempt's start, so an attempt that hangs while its worker lives is recovered all the same.
 */
export async function renewLeases(
  ctx: AppContext,
  renewals: Renewal[],
): Promise<Map<string, RenewalOutcome>> {
  const held = JSON.stringify(
    renewals.map(({ lease, report }) => ({
      id: lease.taskId,
      version: lease.version,
      stage: report?.stage,
      done: report?.done,
      total: report?.total,
      unit: report?.unit,
    })),
  )
  const rows = await ctx.db.$client<{ id: string; cancel_requested: boolean }[]>`
    with held as (
      select * from jsonb_to_recordset(${held}::jsonb)
        as h (id uuid, version integer, stage text, done bigint, total bigint, unit text)
    ), locked as (
      select t.id from task t join held h on h.id = t.id order by t.id for no key update of t
    )
    update task t
       set lease_expires_at = least(engine.now(${timeOf(ctx.clock)}) + ${interval(LEASE_MS)}::interval,
                                    a.started_at + ${interval(ATTEMPT_MAX_MS)}::interval),
           stage = coalesce(h.stage, t.stage), progress_done = coalesce(h.done, t.progress_done),
           progress_total = coalesce(h.total, t.progress_total), progress_unit = coalesce(h.unit, t.progress_unit),
           updated_at = engine.now(${timeOf(ctx.clock)})
      from locked l
      join held h on h.id = l.id
      join task_attempt a on a.task_id = h.id and a.lease_version = h.version
     where t.id = l.id and t.status = 'running' and t.lease_version = h.version
       and t.lease_expires_at > engine.now(${timeOf(ctx.clock)})
    returning t.id, t.cancel_requested_at is not null as cancel_requested`

  const answered = new Map(
    rows.map((row) => [row.id, row.cancel_requested ? 'cancel_requested' : 'renewed'] as const),
  )
  return new Map(renewals.map(({ lease }) => [lease.taskId, answered.get(lease.taskId) ?? 'lost']))
}
