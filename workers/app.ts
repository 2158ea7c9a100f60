// The one Worker that is deployed: wrangler's `main`. `fetch` comes through Remix's compiler, the other entries
// straight from TypeScript; all four open the same database module, once per invocation.
import server from '../build/index.js'
import { deadLetter } from './dead-letter'
import { queue } from './queue'
import { scheduled } from './scheduled'

/** The environment as far as this module reads it: which consumer a batch belongs to. */
interface QueueNames {
  TASK_DEAD_QUEUE_NAME: string
}

export default {
  fetch: server.fetch,
  scheduled,
  /** A batch from a queue that isn't ours is never acknowledged: a wrong name in the settings must not eat messages. */
  queue(batch: MessageBatch, env: QueueNames): Promise<void> | void {
    if (batch.queue === env.TASK_DEAD_QUEUE_NAME) return deadLetter(batch, env)
    if (`${batch.queue}-dead` === env.TASK_DEAD_QUEUE_NAME) return queue(batch, env)
    console.error(
      JSON.stringify({ event: 'queue.unknown', queue: batch.queue, expected: env.TASK_DEAD_QUEUE_NAME }),
    )
    batch.retryAll()
  },
} satisfies ExportedHandler<QueueNames>
