import { expect, it } from 'vitest'
import { FAILURES } from '../config/failures'
import { failureOf, NOT_FOUND, UNEXPECTED } from './failure-of'

it('the texts that stand in for a missing one are those of the table', () => {
  for (const text of [NOT_FOUND, UNEXPECTED]) {
    const { message, next } = FAILURES[text.code as 'NOT_FOUND' | 'UNEXPECTED']
    expect(text).toEqual({ code: text.code, message, next })
  }
})

it('an answer that brings its text is shown with it', () => {
  const text = { code: 'RATE_LIMITED', message: 'Too many.', next: 'Wait.' }
  expect(failureOf({ status: 429, data: text })).toEqual(text)
})

it.each([404, 405])('an answer of status %i without a text is not found', (status) => {
  expect(failureOf({ status, data: 'No route matches URL' })).toEqual(NOT_FOUND)
})

it('of an exception nothing is shown', () => {
  expect(failureOf(null)).toEqual(UNEXPECTED)
  expect(failureOf({ status: 500, data: 'connection to 10.0.0.3 refused' })).toEqual(UNEXPECTED)
})
