import type { ExecutionCode } from '../config/failures'
import type { AppContext } from '../context.server'
import { sha256Hex } from '../files/digest.server'
import { withinStorageTime } from '../files/storage-time.server'
import { describeError } from '../log.server'
import { endAttempt, type AttemptFailure } from './attempt-end.server'
import type { Lease } from './claim.server'
import type { LeaseKeeper } from './lease-keeper.server'
import { findProcessorVersion } from './processors/registry.server'
import { publishResult, reserveResult, type ResultBytes } from './results.server'

/** A failure with a code: caught by `executeTask`, which ends the attempt with it. */
class Failed extends Error {
  constructor(readonly code: ExecutionCode) {
    super(code)
  }
}

/** This lease may not write any more: the attempt stops and writes nothing. */
class Stopped extends Error {}

/**
 * Runs a claimed task to its end: read and verify the input, process, reserve, write, publish. Every failure ends the
 * attempt through one guarded write. Throws only when that write fails too: then the lease's end decides.
 */
export async function executeTask(ctx: AppContext, lease: Lease, keeper: LeaseKeeper): Promise<void> {
  const began = performance.now()
  const { signal, report } = keeper.hold(lease)
  try {
    const input = await readInput(ctx, lease)
    const result = await runProcessor(lease, input, { signal, report })
    const outcome = await publish(ctx, lease, result)
    ctx.log('task.publish', {
      taskId: lease.taskId,
      leaseVersion: lease.version,
      outcome,
      milliseconds: Math.round(performance.now() - began),
    })
  } catch (error) {
    if (error instanceof Stopped) return
    await endAttempt(ctx, lease, failureOf(ctx, lease, { error, stopped: signal.aborted }))
  } finally {
    keeper.release(lease)
  }
}

function failureOf(
  ctx: AppContext,
  lease: Lease,
  { error, stopped }: { error: unknown; stopped: boolean },
): AttemptFailure {
  if (error instanceof Failed) return { code: error.code }
  // A processor that stopped because its signal told it to.
  if (stopped) return { code: 'INTERNAL' }
  ctx.log('task.unexpected_error', {
    taskId: lease.taskId,
    leaseVersion: lease.version,
    ...describeError(error),
  })
  return { unclassified: true }
}

/** The pinned input's bytes, proven to be those that the task was made for. */
async function readInput(ctx: AppContext, lease: Lease): Promise<Uint8Array> {
  const { size, sha256, stored } = lease.input
  if (!stored) throw new Failed('INPUT_MISSING')
  if (stored.size !== size || stored.sha256 !== sha256) throw new Failed('INPUT_CHANGED')

  const object = await storageStep(storage(ctx).get(stored.objectKey))
  if (!object) throw new Failed('INPUT_MISSING')
  if (object.size !== size) {
    await object.body.cancel()
    throw new Failed('INPUT_CHANGED')
  }
  const bytes = new Uint8Array(await storageStep(object.arrayBuffer()))
  if ((await sha256Hex(bytes)) !== sha256) throw new Failed('INPUT_CHANGED')
  return bytes
}

async function runProcessor(
  lease: Lease,
  bytes: Uint8Array,
  hold: ReturnType<LeaseKeeper['hold']>,
): Promise<ResultBytes> {
  const processor = findProcessorVersion(lease.processor, lease.processorVersion)
  if (!processor) throw new Failed('PROCESSOR_UNAVAILABLE')
  const outcome = await processor.run({ bytes, name: lease.input.name, params: lease.params, ...hold })
  if (!outcome.ok) throw new Failed(outcome.code)
  return outcome
}

async function publish(
  ctx: AppContext,
  lease: Lease,
  result: ResultBytes,
): Promise<'published' | 'canceled'> {
  if (result.bytes.length > ctx.site.files.maxBytes) throw new Failed('RESULT_TOO_LARGE')

  const reservation = await reserveResult(ctx, lease, result)
  if (reservation === 'STORAGE_FULL') throw new Failed('STORAGE_FULL')
  if (reservation === 'lease_lost') throw new Stopped()
  // Ending the attempt finds the request and ends it as canceled, whatever code it comes with.
  if (reservation === 'canceled') throw new Failed('INTERNAL')

  await storageStep(storage(ctx).put(reservation.objectKey, result.bytes))
  const published = await publishResult(ctx, lease, reservation)
  if (published === 'lease_lost') throw new Stopped()
  return published
}

function storage(ctx: AppContext): R2Bucket {
  if (!ctx.storage) throw new Failed('STORAGE_UNAVAILABLE')
  return ctx.storage
}

/** One step with object storage: out of time, and any error of the provider, are the same classified failure. */
async function storageStep<T>(step: Promise<T>): Promise<T> {
  try {
    return await withinStorageTime(step)
  } catch {
    throw new Failed('STORAGE_UNAVAILABLE')
  }
}
