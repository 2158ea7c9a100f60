import * as z from 'zod'
import { INTEGER_MAX } from '../config/limits'
import type { FormReply } from '../components/form-reply'
import type { Parameters } from '../tasks/processors/processor'
import { formReply } from './form.server'
import { findProcessor } from '../tasks/processors/registry.server'

/** Fields of the form for a new task that aren't the processor's own. */
const OWN_FIELDS = [
  'requestKey',
  'fileId',
  'processor',
  'quotedPrice',
  'captchaToken',
  'cf-turnstile-response',
]

const fieldsSchema = z.object({
  requestKey: z.uuid({ error: 'This form has no valid key. Open “New task” again.' }),
  fileId: z.uuid({ error: 'Choose a file.' }),
  processor: z.string({ error: 'Choose what to do with it.' }).min(1, 'Choose what to do with it.'),
  quotedPrice: z.coerce.number().int().nonnegative().max(INTEGER_MAX).optional(),
  captchaToken: z.string().max(4096).optional(),
})

export interface TaskForm {
  requestKey: string
  fileId: string
  processor: string
  params: Parameters
  quotedPrice?: number
  captchaToken?: string
}

/** The proof that a person asks: our own field's name, or the one that Turnstile's widget puts into a form. */
export function captchaTokenOf(form: URLSearchParams): string | undefined {
  return form.get('captchaToken') ?? form.get('cf-turnstile-response') ?? undefined
}

/**
 * A submission as a form sends it: the processor's parameters stand beside the other fields (`trimTrailing=on`), and what
 * is neither is refused. Wrong: what was typed and the errors, by field.
 */
export function parseTaskForm(
  form: URLSearchParams,
): { ok: true; value: TaskForm } | { ok: false; reply: FormReply } {
  const { values } = formReply(form, {})
  const parsed = fieldsSchema.safeParse({ ...values, captchaToken: captchaTokenOf(form) })
  const errors: FormReply['errors'] = parsed.success ? {} : z.flattenError(parsed.error).fieldErrors
  const processor = findProcessor(values.processor ?? '')
  if (values.processor && !processor) errors.processor = ['Choose one of the processors below.']

  const params: Parameters = {}
  for (const field of processor?.fields ?? []) {
    if (field.kind === 'checkbox') params[field.name] = form.has(field.name)
    else if (form.has(field.name)) params[field.name] = form.get(field.name)
  }
  const unknown = [...form.keys()].filter(
    (name) => !OWN_FIELDS.includes(name) && !Object.hasOwn(params, name),
  )
  if (processor && unknown.length > 0) errors[''] = ['The form has a field that this processor doesn’t know.']
  if (processor && !processor.parse(params)) errors[''] = ['One of the options is not valid.']

  if (!parsed.success || Object.keys(errors).length > 0) return { ok: false, reply: { values, errors } }
  return { ok: true, value: { ...parsed.data, params } }
}

const retryFormSchema = z.object({
  attempts: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number),
  finishedAt: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
})

export interface RetryForm {
  attempts: number
  finishedAt?: Date
  captchaToken?: string
}

/** The retry of a task as its form sends it: the failure that it was shown for. Null when that is none. */
export function parseRetryForm(form: URLSearchParams): RetryForm | null {
  const parsed = retryFormSchema.safeParse(Object.fromEntries(form))
  return parsed.success ? { ...parsed.data, captchaToken: captchaTokenOf(form) } : null
}
