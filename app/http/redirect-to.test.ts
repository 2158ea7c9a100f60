import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeRedirect } from './redirect-to.server'

const ORIGIN = 'https://millrace.example'

test.each([
  ['/tasks/new', '/tasks/new'],
  ['/tasks?status=failed&after=x', '/tasks?status=failed&after=x'],
  ['/tasks#end', '/tasks#end'],
  ['/files/../tasks', '/tasks'],
  ['/login?redirectTo=//evil.example', '/login?redirectTo=//evil.example'],
  ['/a//b', '/a//b'],
  ['/ünï', '/%C3%BCn%C3%AF'],
])('a path of this site is followed: %j', (wanted, path) => {
  expect(safeRedirect(wanted, ORIGIN)).toBe(path)
})

test.each([
  [null],
  [undefined],
  [''],
  ['tasks'],
  ['https://evil.example'],
  [`${ORIGIN}/tasks`],
  [`${ORIGIN}.evil.example`],
  ['//evil.example'],
  ['///evil.example'],
  ['/\\evil.example'],
  ['\\/evil.example'],
  ['/\t/evil.example'],
  ['/\n/evil.example'],
  ['\t//evil.example'],
  [' //evil.example'],
  ['/\u0000/evil.example'],
  ['/.//evil.example'],
  ['/..//evil.example'],
  ['/./..//evil.example/x'],
  ['/%2e//evil.example'],
  ['/x/..//evil.example'],
  ['javascript:alert(1)'],
  ['data:text/html,x'],
  ['//millrace.example@evil.example/'],
  ['//[::1'],
])('anything else leads to the tasks: %j', (wanted) => {
  expect(safeRedirect(wanted, ORIGIN)).toBe('/tasks')
})

test('whatever is wanted, a browser stays on this site, also when it is asked once more', () => {
  const segment = fc.constantFrom('', '.', '..', '%2e', '\\', '\t', 'x', 'x:', '@', '?', '#', 'evil.example')
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const path = safeRedirect(`/${segments.join('/')}`, ORIGIN)
      expect(new URL(path, `${ORIGIN}/login`).origin).toBe(ORIGIN)
      expect(safeRedirect(path, ORIGIN)).toBe(path)
    }),
    { numRuns: 2_000 },
  )
})
