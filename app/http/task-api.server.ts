import * as z from 'zod'
import { INTEGER_MAX, PAGE_SIZE, PAGE_SIZE_MAX } from '../config/limits'
import { TASK_STATUSES } from '../config/task-statuses'

/** `POST /api/tasks`. Parameters are the processor's own to judge. */
export const submissionSchema = z.strictObject({
  fileId: z.uuid(),
  processor: z.string().min(1).max(100),
  params: z.record(z.string(), z.unknown()).default({}),
  quotedPrice: z.number().int().nonnegative().max(INTEGER_MAX).optional(),
  captchaToken: z.string().max(4096).optional(),
})

/** `Idempotency-Key`: the request key. */
export const idempotencyKeySchema = z.uuid()

/** `POST /api/tasks/:id/retry`. */
export const retrySchema = z.strictObject({
  attempts: z.number().int().nonnegative().max(INTEGER_MAX),
  finishedAt: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
  captchaToken: z.string().max(4096).optional(),
})

/** `GET /api/tasks`. Cursors are judged by the list itself. */
export const listSchema = z.object({
  status: z.enum(TASK_STATUSES).optional(),
  before: z.string().max(200).optional(),
  after: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE),
})
