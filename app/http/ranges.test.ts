import { expect, it } from 'vitest'
import { parseRange } from './ranges.server'

it.each([
  ['bytes=0-0', 10, { offset: 0, length: 1 }],
  ['bytes=2-4', 10, { offset: 2, length: 3 }],
  ['bytes=4-', 10, { offset: 4, length: 6 }],
  ['bytes=4-99', 10, { offset: 4, length: 6 }],
  ['bytes=-3', 10, { offset: 7, length: 3 }],
  ['bytes=-99', 10, { offset: 0, length: 10 }],
  ['Bytes=1-1', 10, { offset: 1, length: 1 }],
  [`bytes=0-${'9'.repeat(400)}`, 10, { offset: 0, length: 10 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, null],
  [null, 10, null],
  ['', 10, null],
  ['bytes=', 10, null],
  ['bytes=-', 10, null],
  ['bytes=5-2', 10, null],
  ['bytes=0-1,4-5', 10, null],
  ['bytes=a-b', 10, null],
  ['lines=1-2', 10, null],
])('%j of %i bytes', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range)
})
