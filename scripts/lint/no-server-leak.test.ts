import { Linter } from 'eslint'
import tseslint from 'typescript-eslint'
import { describe, expect, it } from 'vitest'
import { noServerLeak } from './no-server-leak.js'

const linter = new Linter()

function complaintsIn(code: string): string[] {
  return linter
    .verify(
      code,
      {
        files: ['**/*.tsx'],
        languageOptions: {
          parser: tseslint.parser as Linter.Parser,
          parserOptions: { ecmaFeatures: { jsx: true } },
        },
        plugins: { millrace: { rules: { 'no-server-leak': noServerLeak } } },
        rules: { 'millrace/no-server-leak': 'error' },
      },
      'app/routes/page.tsx',
    )
    .map(({ messageId, message }) => messageId ?? message)
}

const IMPORT = "import { read, type Row } from '~/tasks/queries.server'\n"

describe('a value of a server module', () => {
  it.each([
    ['the exported loader', 'export const loader = () => read()'],
    ['an exported async function', 'export async function action() { const it = () => read(); return it() }'],
    ['headers', 'export function headers() { return read() }'],
    [
      'a type beside it',
      'export default function Page(props: { row: Row; read: typeof read }) { return props.row.id }',
    ],
    ['a type’s arguments', 'const rows: Array<Row> = []\nexport const handle = { rows }'],
    ['nothing at all', ''],
  ])('may be used in %s', (_where, code) => {
    expect(complaintsIn(IMPORT + code)).toEqual([])
  })

  it.each([
    ['the page', 'export default function Page() { return read() }'],
    ['an element of the page', 'export default function Page() { return <read.View /> }'],
    ['a constant of the module', 'const rows = read()'],
    ['another export', 'export const meta = () => read()'],
    ['an export beside the loader', 'export const loader = () => 1, handle = read()'],
    [
      'a function that the loader calls',
      'function rows() { return read() }\nexport const loader = () => rows()',
    ],
    ['a cast', 'export const handle = read as unknown'],
    ['an export of its own', 'export { read }'],
    ['a client loader', 'export const clientLoader = () => read()'],
  ])('may not be used in %s', (_where, code) => {
    expect(complaintsIn(IMPORT + code)).toEqual(['leak'])
  })

  it.each([
    ['by its default', "import read from '~/a.server'\nread()"],
    ['as a whole', "import * as all from '../a.server'\nall.read()"],
    ['by a new name', "import { a as read } from '~/a.server.ts'\nread()"],
    ['from where it is re-exported', "export { read } from '~/a.server'"],
  ])('is known however it is imported: %s', (_how, code) => {
    expect(complaintsIn(code)).toEqual(['leak'])
  })
})

describe('a server module', () => {
  it('may give a route its loader as it is', () => {
    expect(complaintsIn("export { loader, respond as action } from '~/a.server'")).toEqual([])
  })

  it('isn’t imported for its effect', () => {
    expect(complaintsIn("import '~/a.server'")).toEqual(['reached'])
  })

  it('is imported late by the loader only', () => {
    expect(complaintsIn("export const loader = () => import('~/a.server')")).toEqual([])
    expect(complaintsIn("export const handle = { load: () => import('~/a.server') }")).toEqual(['reached'])
  })

  it('may be known by its types everywhere', () => {
    const code =
      "import type { Row } from '~/a.server'\nexport type { Row as Line } from '~/a.server'\nexport const handle = {} as Row"
    expect(complaintsIn(code)).toEqual([])
  })
})

it('leaves other modules alone', () => {
  expect(complaintsIn("import { read } from '~/files/names'\nexport const handle = read()")).toEqual([])
})
