import { UNCLASSIFIED_RETRY_MS } from '../config/limits'
import type { AppContext } from '../context.server'
import { isAboutOneRow } from '../db/errors.server'
import { describeError } from '../log.server'
import { claimTasks, type ClaimOutcome, type Lease } from './claim.server'
import { executeTask } from './execution.server'
import { LeaseKeeper } from './lease-keeper.server'
import { parseTaskMessage, type TaskMessage } from './message.server'

/** What the consumer needs of a queue's message. */
export type QueueMessage = Pick<Message, 'id' | 'body' | 'ack' | 'retry'>

interface Delivered {
  message: TaskMessage
  /** Every message of this batch that names the task; they share its outcome. */
  sources: QueueMessage[]
}

const retryLater = { delaySeconds: UNCLASSIFIED_RETRY_MS / 1000 }

/**
 * Runs what a batch of messages hints at. A message is acknowledged once the database holds the outcome, or when there
 * is nothing to do for it; it is retried when it could not be judged. Light tasks are claimed and run together, as many
 * as fit into memory; heavy and suspect ones singly, when their turn comes.
 */
export async function consumeMessages(ctx: AppContext, messages: readonly QueueMessage[]): Promise<void> {
  const keeper = new LeaseKeeper(ctx)
  let waiting = groupByTask(ctx, messages)
  const singly: Delivered[] = []

  while (waiting.length > 0) {
    const later: Delivered[] = []
    const leases = await claimAndSettle(ctx, waiting, { alone: false, later, singly })
    await Promise.all(leases.map(({ lease, delivered }) => runTask(ctx, lease, delivered, keeper)))
    waiting = later
  }
  for (const delivered of singly) {
    const leases = await claimAndSettle(ctx, [delivered], { alone: true, later: [], singly: [] })
    for (const { lease } of leases) await runTask(ctx, lease, delivered, keeper)
  }
}

/** A message of another shape is left to the queue, which hands it to the dead letters and so to a receipt. */
function groupByTask(ctx: AppContext, messages: readonly QueueMessage[]): Delivered[] {
  const byTask = new Map<string, Delivered>()
  for (const source of messages) {
    const message = parseTaskMessage(source.body)
    if (!message) {
      ctx.log('message.invalid', { messageId: source.id })
      source.retry(retryLater)
      continue
    }
    const delivered = byTask.get(message.taskId)
    if (!delivered) {
      byTask.set(message.taskId, { message, sources: [source] })
    } else {
      delivered.sources.push(source)
      if (message.dispatchVersion > delivered.message.dispatchVersion) delivered.message = message
    }
  }
  return [...byTask.values()]
}

interface Held {
  lease: Lease
  delivered: Delivered
}

/** Claims what may start, settles the messages for which there is nothing to run, and sorts out what must wait its turn. */
async function claimAndSettle(
  ctx: AppContext,
  waiting: Delivered[],
  { alone, later, singly }: { alone: boolean; later: Delivered[]; singly: Delivered[] },
): Promise<Held[]> {
  const byTask = new Map(waiting.map((delivered) => [delivered.message.taskId, delivered]))
  const held: Held[] = []
  for (const claim of await claimOneByOneIfNeeded(ctx, waiting, alone)) {
    const delivered = byTask.get(claim.taskId)
    if (!delivered) continue
    if (claim.outcome === 'claimed') held.push({ lease: claim.lease, delivered })
    else if (claim.outcome === 'later') (claim.alone ? singly : later).push(delivered)
    else settle(delivered, claim)
    ctx.log('task.claim', {
      taskId: claim.taskId,
      dispatchVersion: delivered.message.dispatchVersion,
      leaseVersion: claim.outcome === 'claimed' ? claim.lease.version : undefined,
      outcome: claim.outcome,
    })
  }
  return held
}

/** One statement for all; when something about one row makes it fail, one statement each, so that only that one is retried. */
async function claimOneByOneIfNeeded(
  ctx: AppContext,
  waiting: Delivered[],
  alone: boolean,
): Promise<ClaimOutcome[]> {
  const messages = waiting.map(({ message }) => message)
  try {
    return await claimTasks(ctx, messages, { alone })
  } catch (error) {
    if (messages.length === 1 || !isAboutOneRow(error)) throw error
    ctx.log('task.batch_claim_failed', { tasks: messages.length, ...describeError(error) })
  }
  const outcomes: ClaimOutcome[] = []
  for (const message of messages) {
    try {
      outcomes.push(...(await claimTasks(ctx, [message], { alone })))
    } catch (error) {
      if (!isAboutOneRow(error)) throw error
      ctx.log('task.claim_failed', { taskId: message.taskId, ...describeError(error) })
      outcomes.push({ outcome: 'contended', taskId: message.taskId })
    }
  }
  return outcomes
}

function settle(
  { sources }: Delivered,
  claim: Exclude<ClaimOutcome, { outcome: 'claimed' | 'later' }>,
): void {
  for (const source of sources) {
    if (claim.outcome === 'stale') source.ack()
    else if (claim.outcome === 'early') source.retry({ delaySeconds: claim.delaySeconds })
    else source.retry(retryLater)
  }
}

/** Runs one claimed task. Whatever happens to it, its message has done its part: the lease, not the queue, decides now. */
async function runTask(
  ctx: AppContext,
  lease: Lease,
  { sources }: Delivered,
  keeper: LeaseKeeper,
): Promise<void> {
  try {
    await executeTask(ctx, lease, keeper)
  } catch (error) {
    ctx.log('task.end_not_written', {
      taskId: lease.taskId,
      leaseVersion: lease.version,
      ...describeError(error),
    })
  }
  for (const source of sources) source.ack()
}
