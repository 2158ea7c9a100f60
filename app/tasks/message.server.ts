import * as z from 'zod'
import { INTEGER_MAX } from '../config/limits'

const taskMessageSchema = z.strictObject({
  // As PostgreSQL writes it: the answers to a claim are found by it.
  taskId: z.uuid().toLowerCase(),
  dispatchVersion: z.number().int().positive().max(INTEGER_MAX),
})

/** All that is ever put on the queue: which task, and which of its deliveries. A hint; the truth is in Postgres. */
export type TaskMessage = z.infer<typeof taskMessageSchema>

/** The message, or null when a body has another shape. A message from the queue is as untrusted as a form. */
export function parseTaskMessage(body: unknown): TaskMessage | null {
  const parsed = taskMessageSchema.safeParse(body)
  return parsed.success ? parsed.data : null
}
