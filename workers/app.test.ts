import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testDatabase } from '~/testing/database'
import { queueMessage } from '~/testing/tasks'
import app from './app'

// Pages are no part of this, and there may be no build yet.
vi.mock('../build/index.js', () => ({ default: { fetch: () => new Response() } }))

const database = testDatabase()
const environment = () => ({
  APP_ORIGIN: 'http://localhost:8787',
  AUTH_SECRET: 'a secret of at least thirty-two characters',
  DATABASE_URL: database.url,
  TASK_DEAD_QUEUE_NAME: 'millrace-tasks-dead',
})

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

/** One message that is no task's, in a batch that remembers what was decided about all of it. */
async function deliver(queue: string) {
  const message = { ...queueMessage({ from: queue }), timestamp: new Date(), attempts: 1 }
  const settled: string[] = []
  message.ack = () => void settled.push('ack')
  message.retry = () => void settled.push('retry')
  const batch: MessageBatch = {
    queue,
    messages: [message],
    metadata: { metrics: { backlogCount: 1, backlogBytes: 1 } },
    retryAll: () => void settled.push('retry all'),
    ackAll: () => void settled.push('ack all'),
  }
  await app.queue(batch, environment())
  const receipts = await database.connect().$client`
    select queue_name, class from task_dead_letter where message_id = ${message.id}`
  return { settled, receipts: [...receipts] }
}

test('a batch of the dead-letter queue becomes receipts of dead letters', async () => {
  expect(await deliver('millrace-tasks-dead')).toEqual({
    settled: ['ack'],
    receipts: [{ queue_name: 'millrace-tasks-dead', class: 'invalid' }],
  })
})

test('a batch of the task queue is decided message by message, without a receipt', async () => {
  expect(await deliver('millrace-tasks')).toEqual({ settled: ['retry'], receipts: [] })
})

test.each(['millrace', 'millrace-tasks-dead-dead', 'another-dead', ''])(
  'a batch of the queue "%s" is left to it, and never acknowledged',
  async (queue) => {
    expect(await deliver(queue)).toEqual({ settled: ['retry all'], receipts: [] })
    const [line] = vi.mocked(console.error).mock.lastCall ?? []
    expect(JSON.parse(String(line))).toMatchObject({ event: 'queue.unknown', queue })
  },
)
