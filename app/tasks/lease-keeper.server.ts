import type { AppContext } from '../context.server'
import { LEASE_RENEWAL_MS } from '../config/limits'
import { describeError } from '../log.server'
import type { Lease } from './claim.server'
import type { StageReport } from './processors/processor'
import { renewLeases } from './renewal.server'

/** A progress write at most this often, besides changes of stage. */
const PROGRESS_MS = 5_000

interface Held {
  lease: Lease
  report: StageReport | null
  stop: AbortController
}

/**
 * Keeps the leases of one invocation alive while their tasks run: one statement every 30 seconds for all of them, and
 * sooner when a processor tells progress. Whoever loses its lease, or whose owner wants it canceled, is told by its
 * abort signal. A renewal that fails is tried again at the next turn; the lease outlasts three of them.
 */
export class LeaseKeeper {
  #held = new Map<string, Held>()
  #timer: ReturnType<typeof setInterval> | null = null
  #renewing: Promise<void> | null = null
  #again = false
  #lastWrite = 0

  constructor(private readonly ctx: AppContext) {}

  hold(lease: Lease): { signal: AbortSignal; report: (report: StageReport) => void } {
    const held: Held = { lease, report: null, stop: new AbortController() }
    this.#held.set(lease.taskId, held)
    this.#timer ??= setInterval(() => void this.renew(), LEASE_RENEWAL_MS)
    return {
      signal: held.stop.signal,
      report: (report) => {
        const stageChanged = held.report?.stage !== report.stage
        held.report = report
        if (stageChanged || performance.now() - this.#lastWrite >= PROGRESS_MS) void this.renew()
      },
    }
  }

  release(lease: Lease): void {
    this.#held.delete(lease.taskId)
    if (this.#held.size === 0 && this.#timer) {
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  /** Renews what is held now. Never throws. Asked again while it is at it, it begins once more when it is done. */
  renew(): Promise<void> {
    this.#again = this.#renewing !== null
    this.#renewing ??= this.#renewUntilCurrent().finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  async #renewUntilCurrent(): Promise<void> {
    do {
      this.#again = false
      await this.#renewAll()
    } while (this.#again)
  }

  async #renewAll(): Promise<void> {
    this.#lastWrite = performance.now()
    const renewals = [...this.#held.values()]
    if (renewals.length === 0) return
    try {
      const outcomes = await renewLeases(this.ctx, renewals)
      for (const { lease, stop } of renewals) {
        const outcome = outcomes.get(lease.taskId)
        if (outcome === 'renewed') continue
        this.ctx.log('task.stop', { taskId: lease.taskId, leaseVersion: lease.version, reason: outcome })
        stop.abort(outcome)
      }
    } catch (error) {
      this.ctx.log('task.renewal_failed', { leases: renewals.length, ...describeError(error) })
    }
  }
}
