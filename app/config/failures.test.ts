import { describe, expect, it } from 'vitest'
import { EXECUTION_CODES, FAILURES, type FailureCode } from './failures'

/** The HTTP contract: other people's scripts rely on it. */
const CONTRACT: Record<number, FailureCode[]> = {
  400: ['INVALID_INPUT', 'FILE_EMPTY'],
  401: ['UNAUTHENTICATED'],
  402: ['INSUFFICIENT_CREDITS'],
  403: ['BAD_ORIGIN', 'CAPTCHA_FAILED'],
  404: ['NOT_FOUND', 'FILE_NOT_FOUND'],
  409: [
    'REQUEST_CONFLICT',
    'ACTIVE_LIMIT',
    'QUOTE_CHANGED',
    'NOT_RETRYABLE',
    'NOT_FINISHED',
    'FILE_IN_USE',
    'STORAGE_FULL',
    'INPUT_CHANGED',
  ],
  410: ['FILE_EXPIRED', 'RESULT_EXPIRED'],
  413: ['FILE_TOO_LARGE'],
  415: ['FILE_TYPE_UNSUPPORTED'],
  429: ['RATE_LIMITED'],
  500: ['UNEXPECTED'],
  503: ['DISABLED', 'NOT_CONFIGURED', 'BUSY'],
}

/** Answers beyond the contract's table: file storage was not reachable; a form of which only the beginning was kept. */
const OURS: FailureCode[] = ['UPLOAD_FAILED', 'FORM_INCOMPLETE', 'RESET_LINK_INVALID', 'MAIL_NOT_CONFIGURED']

const everyFailure = Object.entries(FAILURES)

describe('failures', () => {
  it.each(Object.entries(CONTRACT))('with status %s are those of the contract', (status, codes) => {
    for (const code of codes) expect([code, FAILURES[code].status]).toEqual([code, Number(status)])
  })

  it('that can answer a request all stand in the contract', () => {
    const known = [...Object.values(CONTRACT).flat(), ...OURS, ...EXECUTION_CODES]
    expect(everyFailure.map(([code]) => code).filter((code) => !known.includes(code as FailureCode))).toEqual(
      [],
    )
  })

  it('belong to a task’s execution when nothing but a task can meet them', () => {
    const answers = Object.values(CONTRACT).flat()
    const executionOnly = EXECUTION_CODES.filter((code) => !answers.includes(code))
    expect(executionOnly.filter((code) => FAILURES[code].family !== 'execution')).toEqual([])
  })

  it.each(everyFailure)('%s says in whole sentences what happened and what to do', (_, { message, next }) => {
    for (const text of [message, next]) expect(text).toMatch(/^[A-Z].{10,160}\.$/)
  })
})
