import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { formatBytes, formatDuration, formatLocal, formatRelative, formatUtc } from './format'
import { Time } from './time'

const iso = '2026-12-01T01:30:45.000Z'
const now = new Date(iso).getTime()

it('the markup has the absolute time, in UTC and marked as such', () => {
  const html = renderToStaticMarkup(<Time iso={iso} />)
  expect(html).toContain(`dateTime="${iso}"`)
  expect(html).toContain('<span>1 Dec 2026, 01:30 UTC</span>')
})

it('UTC does not depend on the zone of the machine', () => {
  expect(formatUtc('2026-02-28T23:59:00+01:00')).toBe('28 Feb 2026, 22:59 UTC')
})

it('a local time is in the zone of the machine and names another year', () => {
  const at = new Date(2026, 1, 3, 4, 5)
  expect(formatLocal(at.toISOString(), at.getTime())).toBe('3 Feb, 04:05')
  expect(formatLocal(at.toISOString(), new Date(2027, 1, 3).getTime())).toBe('3 Feb 2026, 04:05')
})

it.each([
  [0, 'just now'],
  [-59, 'just now'],
  [4, 'just now'],
  [-60, '1 min ago'],
  [-3599, '59 min ago'],
  [-3600, '1 h ago'],
  [-86_400, '1 day ago'],
  [30, 'in under 1 min'],
  [600, 'in 10 min'],
  [6.5 * 86_400, 'in 6 days'],
])('%d seconds from now is “%s”', (seconds, text) => {
  expect(formatRelative(new Date(now + seconds * 1000).toISOString(), now)).toBe(text)
})

it('a time further away than a month has no relative form', () => {
  expect(formatRelative(iso, now + 31 * 86_400_000)).toBeNull()
})

it.each([
  [0, 'under 0.1 s'],
  [-5, 'under 0.1 s'],
  [420, '0.4 s'],
  [12_000, '12 s'],
  [59_700, '1 min'],
  [185_000, '3 min 5 s'],
  [7_440_000, '2 h 4 min'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

it.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [940, '940 bytes'],
  [1434, '1.4 kB'],
  [10 * 1024 * 1024, '10 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
