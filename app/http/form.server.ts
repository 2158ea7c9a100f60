import * as z from 'zod'
import type { FormReply } from '../components/form-reply'
import { FORM_MAX_BYTES } from '../config/limits'
import { readBounded } from './body.server'

/** Fields that are never sent back to a page. */
const SECRET_FIELDS = ['password', 'currentPassword', 'newPassword', 'captchaToken', 'cf-turnstile-response']

/** A native form's fields (`application/x-www-form-urlencoded`). Anything else, and what is too large, reads as an empty form. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type') ?? ''
  if (!type.startsWith('application/x-www-form-urlencoded')) return new URLSearchParams()
  const body = await readBounded(request, FORM_MAX_BYTES)
  return new URLSearchParams(body ? new TextDecoder().decode(body) : '')
}

export type ParsedForm<T> = { ok: true; value: T } | { ok: false; reply: FormReply }

/** A form's fields as its schema wants them; else what was typed, without secrets, and the errors by field. */
export function parseFields<T>(form: URLSearchParams, schema: z.ZodType<T>): ParsedForm<T> {
  const parsed = schema.safeParse(Object.fromEntries(form))
  if (parsed.success) return { ok: true, value: parsed.data }
  const { fieldErrors, formErrors } = z.flattenError(parsed.error) as {
    fieldErrors: Record<string, string[]>
    formErrors: string[]
  }
  return {
    ok: false,
    reply: formReply(form, { ...fieldErrors, ...(formErrors.length > 0 && { '': formErrors }) }),
  }
}

/** What a refused form gets back. */
export function formReply(form: URLSearchParams, errors: FormReply['errors']): FormReply {
  const values = Object.fromEntries([...form].filter(([name]) => !SECRET_FIELDS.includes(name)))
  return { values, errors }
}

/** A JSON body as its schema wants it; null for anything else, also for what is too large. */
export async function readJson<T>(request: Request, schema: z.ZodType<T>): Promise<T | null> {
  const body = await readBounded(request, FORM_MAX_BYTES)
  if (!body) return null
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(body))).data ?? null
  } catch {
    return null
  }
}
