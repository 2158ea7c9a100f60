import { uuidv7 } from 'uuidv7'
import type { AppContext } from '../context.server'
import { arrayOf, timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import type { QueueMessage } from './consumer.server'
import { parseTaskMessage } from './message.server'
import { PROCESSORS, processorKey } from './processors/registry.server'

export type DeadLetterClass = 'applied' | 'deferred' | 'stale' | 'missing' | 'invalid'

/**
 * Receives messages that the task queue gave up on. Each gets one receipt and its effect in one transaction, and is
 * acknowledged only after the commit; a redelivery changes nothing. One that can't be recorded is retried, and keeps no
 * other from being recorded.
 */
export async function receiveDeadLetters(
  ctx: AppContext,
  queueName: string,
  messages: readonly QueueMessage[],
): Promise<void> {
  for (const message of messages) {
    try {
      const deadLetterClass = await recordDeadLetter(ctx, queueName, message)
      ctx.log('dead_letter', { messageId: message.id, class: deadLetterClass })
      message.ack()
    } catch (error) {
      ctx.log('dead_letter.not_recorded', { messageId: message.id, ...describeError(error) })
      message.retry()
    }
  }
}

/** One message's receipt and effect, in one statement; a message recorded before answers the class it was given then. */
async function recordDeadLetter(
  ctx: AppContext,
  queueName: string,
  message: QueueMessage,
): Promise<DeadLetterClass> {
  const body = parseTaskMessage(message.body)
  const [answer] = await ctx.db.$client<{ class: DeadLetterClass }[]>`
    select engine.record_dead_letter(
      p_now => ${timeOf(ctx.clock)}, p_receipt => ${uuidv7()}, p_queue => ${queueName}, p_message => ${message.id},
      p_task => ${body?.taskId ?? null}, p_version => ${body?.dispatchVersion ?? null},
      p_processors => ${arrayOf(PROCESSORS.map(processorKey))}) as class`
  if (!answer) throw new Error('record_dead_letter answered nothing')
  return answer.class
}
