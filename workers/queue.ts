import { UNCLASSIFIED_RETRY_MS } from '~/config/limits'
import { openContext } from '~/invocation.server'
import { describeError } from '~/log.server'
import { consumeMessages } from '~/tasks/consumer.server'

/**
 * The task queue's consumer. An outage before a claim leaves its messages to the queue, which brings them again after ten
 * seconds; what was settled before the outage stays settled.
 */
export async function queue(batch: MessageBatch, env: unknown): Promise<void> {
  const { app, close } = openContext(env)
  try {
    await consumeMessages(app, batch.messages)
  } catch (error) {
    app.log('queue.batch_failed', { messages: batch.messages.length, ...describeError(error) })
    batch.retryAll({ delaySeconds: UNCLASSIFIED_RETRY_MS / 1000 })
  } finally {
    await close()
  }
}
