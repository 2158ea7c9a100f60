import { FAILURES, type FailureCode } from '../config/failures'
import type { FailureText } from './types'

/** For answers that name no code of their own. */
const BY_STATUS: Record<number, FailureCode> = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'BAD_ORIGIN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  413: 'FILE_TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'BUSY',
}

/**
 * The text for an answer that was thrown: by the code in its data (`{ code }`), else by its status, else the general one.
 * Null is an exception that nobody expected.
 */
export function failureOf(answer: { status: number; data: unknown } | null): FailureText {
  const code = (answer && (codeIn(answer.data) ?? BY_STATUS[answer.status])) ?? 'UNEXPECTED'
  const { message, next } = FAILURES[code]
  return { code, message, next }
}

function codeIn(data: unknown): FailureCode | null {
  if (typeof data !== 'object' || data === null || !('code' in data)) return null
  return typeof data.code === 'string' && Object.hasOwn(FAILURES, data.code)
    ? (data.code as FailureCode)
    : null
}
