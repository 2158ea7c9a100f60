import type { FailureText } from './types'

/*
 * These two repeat `FAILURES`, and a test holds them to it: the table is for the server, and importing it here would send
 * all of it to every browser.
 */
export const UNEXPECTED: FailureText = {
  code: 'UNEXPECTED',
  message: 'Something went wrong on our side.',
  next: 'Reload the page to see what was stored. Sending the same form again is safe.',
}

export const NOT_FOUND: FailureText = {
  code: 'NOT_FOUND',
  message: 'There is nothing here.',
  next: 'Check the address, or go back to your tasks.',
}

/**
 * The text for an answer that a route threw: what it brings along as its data, else the general text for its status.
 * Null is an exception that nobody expected; of that nothing is shown.
 */
export function failureOf(answer: { status: number; data: unknown } | null): FailureText {
  if (!answer) return UNEXPECTED
  if (isFailureText(answer.data)) return answer.data
  return answer.status === 404 || answer.status === 405 ? NOT_FOUND : UNEXPECTED
}

function isFailureText(data: unknown): data is FailureText {
  if (typeof data !== 'object' || data === null) return false
  return ['code', 'message', 'next'].every(
    (key) => typeof (data as Record<string, unknown>)[key] === 'string',
  )
}
