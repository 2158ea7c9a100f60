import { expect, it } from 'vitest'
import { seenOf, steadyRows } from './steady-list'

const row = (second: number) => ({
  id: `task-${second}`,
  createdAt: new Date(Date.UTC(2026, 11, 1, 0, 0, second)).toISOString(),
})
const rows = (...seconds: number[]) => seconds.map(row)
const secondsOf = (list: { createdAt: string }[]) =>
  list.map(({ createdAt }) => new Date(createdAt).getSeconds())

it('what arrives while somebody reads waits, and is counted', () => {
  const seen = seenOf(rows(3, 2, 1), [])
  const { list, waiting } = steadyRows({ list: rows(5, 4, 3, 2), above: [] }, seen)
  expect(secondsOf(list)).toEqual([3, 2])
  expect(waiting).toBe(2)
})

it('equal times are told apart by their ids', () => {
  const [one, other] = [
    { ...row(1), id: 'a' },
    { ...row(1), id: 'b' },
  ]
  const { list, waiting } = steadyRows({ list: [other, one], above: [] }, seenOf([one], []))
  expect([list, waiting]).toEqual([[one], 1])
})

it('the first task of an empty list, and a page of which nothing is left, are shown at once', () => {
  expect(steadyRows({ list: rows(1), above: [] }, seenOf([], [])).list).toHaveLength(1)
  const { list, waiting } = steadyRows({ list: rows(9, 8), above: [] }, seenOf(rows(2, 1), []))
  expect([secondsOf(list), waiting]).toEqual([[9, 8], 0])
})

it('a row stands either above the list or in it, and stays where it was seen', () => {
  const seen = seenOf(rows(3, 2, 1), rows(2))
  const fresh = steadyRows({ list: rows(3, 2, 1), above: rows(3) }, seen)
  expect(secondsOf(fresh.above)).toEqual([2])
  expect(secondsOf(fresh.list)).toEqual([3, 1])
  const asked = steadyRows({ list: rows(3, 2, 1), above: rows(3) }, seenOf(rows(3, 2, 1), rows(3)))
  expect([secondsOf(asked.above), secondsOf(asked.list)]).toEqual([[3], [2, 1]])
})

it('a row above the list that is on no page any more goes', () => {
  const { above } = steadyRows({ list: rows(3, 2), above: [] }, seenOf(rows(3, 2), rows(1)))
  expect(above).toEqual([])
})
