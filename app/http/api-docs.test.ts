import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXECUTION_CODES, FAILURES } from '../config/failures'

const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')

it('docs/api.md has every route for programs', () => {
  const routes = readdirSync(new URL('../routes', import.meta.url))
    .filter((name) => name.startsWith('api.'))
    .map(
      (name) =>
        `/${name
          .replace(/\.tsx?$/, '')
          .replace('._index', '')
          .replaceAll('.', '/')
          .replaceAll('$', ':')}`,
    )
  const listed = [...text.matchAll(/^\| `(?:GET|POST) (\S+)`/gm)].map(([, path]) => path)
  expect([...new Set(listed)].sort()).toEqual([...new Set(routes)].sort())
})

it('docs/api.md has every code with its status, and those that stand on a task', () => {
  const listed = [...text.matchAll(/^\| `([A-Z_]+)` +\| (\d+) +\|$/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])
  for (const [code, status] of listed)
    expect([code, FAILURES[code as keyof typeof FAILURES].status]).toEqual([code, status])
  const named = new Set([...text.matchAll(/`([A-Z_0-9]+)`/g)].map(([, code]) => code))
  for (const code of [...Object.keys(FAILURES), ...EXECUTION_CODES]) expect(named).toContain(code)
})
