import * as z from 'zod'

const taskMessageSchema = z.strictObject({
  taskId: z.uuid(),
  dispatchVersion: z.number().int().positive(),
})

/** All that is ever put on the queue: which task, and which of its deliveries. A hint; the truth is in Postgres. */
export type TaskMessage = z.infer<typeof taskMessageSchema>

/** The message, or null when a body has another shape. A message from the queue is as untrusted as a form. */
export function parseTaskMessage(body: unknown): TaskMessage | null {
  const parsed = taskMessageSchema.safeParse(body)
  return parsed.success ? parsed.data : null
}
