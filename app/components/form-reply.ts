/**
 * What a refused form gets back: everything that was typed (never a password), and the errors by field name.
 * Errors under `''` belong to the form as a whole.
 */
export interface FormReply {
  values: Record<string, string>
  errors: Record<string, string[]>
}
