import { claimTasks, type ClaimOutcome } from '../../app/tasks/claim.server'
import type { TaskMessage } from '../../app/tasks/message.server'
import { reserveResult } from '../../app/tasks/results.server'
import { claim, submit } from '../../app/testing/tasks'
import { must, SESSIONS, type Gate, type Operation, type Stage } from './sessions'

/** One for each session. */
export const times = <T>(make: (index: number) => T) =>
  Array.from({ length: SESSIONS }, (_, index) => make(index))

/** The even sessions do one thing, the odd ones the other, all at once. Answers what each half was told. */
export async function halves<A, B>(
  stage: Stage,
  even: Operation<A>,
  odd: Operation<B>,
  gate: Gate | null,
): Promise<{ even: A[]; odd: B[] }> {
  const operations = times<Operation<A | B>>((index) => (index % 2 === 0 ? even : odd))
  const answers = await stage.atOnce(operations, gate)
  return {
    even: answers.filter((_, index) => index % 2 === 0) as A[],
    odd: answers.filter((_, index) => index % 2 === 1) as B[],
  }
}

export const count = (outcomes: readonly unknown[], wanted: string) =>
  outcomes.filter((each) => each === wanted).length

export const gateAt = (gated: boolean, table: Gate['table'], id: string): Gate | null =>
  gated ? { table, id } : null

/** A consumer's claim by one message. */
export const claimFirst =
  (message: TaskMessage): Operation<ClaimOutcome> =>
  async (session) =>
    (await claimTasks(session, [message], { alone: true }))[0]!

/** The same; answers its outcome only. */
export const claimBy =
  (message: TaskMessage): Operation<string> =>
  async (session) =>
    (await claimFirst(message)(session)).outcome

export const RESULT = {
  bytes: new TextEncoder().encode('one\ntwo\n'),
  type: 'text/plain',
  name: 'notes.txt',
}

/** A running task whose result is written to the bucket and only has to be published. */
export async function readyToPublish({ ctx }: Stage) {
  const task = await submit(ctx)
  const lease = await claim(ctx, task.taskId)
  const reservation = await reserveResult(ctx, lease, RESULT)
  must(typeof reservation !== 'string', 'a running task reserves its result', reservation)
  await ctx.storage!.put(reservation.objectKey, RESULT.bytes)
  return { ...task, lease, reservation }
}
