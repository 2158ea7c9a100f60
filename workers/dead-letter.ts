import { openContext } from '~/invocation.server'
import { receiveDeadLetters } from '~/tasks/dead-letters.server'

/** The dead-letter queue's consumer: one receipt for each message that the task queue gave up on. */
export async function deadLetter(batch: MessageBatch, env: unknown): Promise<void> {
  const { app, close } = openContext(env)
  try {
    await receiveDeadLetters(app, batch.queue, batch.messages)
  } finally {
    await close()
  }
}
