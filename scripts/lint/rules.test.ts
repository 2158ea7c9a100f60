import { afterAll, describe, expect, it } from 'vitest'
import { smallSite } from './small-site'

const FILES = [
  'app/tasks/states.ts',
  'app/tasks/states.test.ts',
  'app/tasks/message.server.ts',
  'app/tasks/processors/reverse.server.ts',
  'app/log.server.ts',
  'app/files/utils.ts',
  'app/files/upload-helpers.server.ts',
  'app/common/names.ts',
  'app/files/library.ts',
  'app/files/index.ts',
  'app/components/clock.tsx',
  'app/routes/_index.tsx',
  'workers/queue.ts',
]
const PLAIN = 'app/tasks/states.ts'
const PAGE = 'app/components/clock.tsx'

describe('the linter', () => {
  const site = smallSite(Object.fromEntries(FILES.map((path) => [path, 'export const thing = 1\n'])))
  afterAll(() => site.remove())
  const rulesBroken = async (path: string, code: string) =>
    (await site.lint(path, `${code}\n`)).map(({ rule }) => rule)

  const async_ = 'declare function save(): Promise<boolean>\n'
  it.each([
    ['no-explicit-any', PLAIN, 'export const value: any = 1', 'export const value: unknown = 1'],
    [
      'ban-ts-comment',
      PLAIN,
      '// @ts-ignore\nexport const value = 1',
      '// @ts-expect-error: the package’s types lack it\nexport const value = 1',
    ],
    ['ban-ts-comment', PLAIN, '// @ts-nocheck\nexport const value = 1', 'export const value = 1'],
    [
      'no-floating-promises',
      PLAIN,
      `${async_}export function go() { save() }`,
      `${async_}export async function go() { await save() }`,
    ],
    [
      'no-misused-promises',
      PLAIN,
      `${async_}export const go = () => (save() ? 1 : 2)`,
      `${async_}export const go = async () => ((await save()) ? 1 : 2)`,
    ],
    [
      'await-thenable',
      PLAIN,
      'export const go = async () => await 1',
      `${async_}export const go = async () => await save()`,
    ],
    [
      'switch-exhaustiveness-check',
      PLAIN,
      "export function go(state: 'a' | 'b') { switch (state) { case 'a': return 1 } }",
      "export function go(state: 'a' | 'b') { switch (state) { case 'a': return 1; case 'b': return 2 } }",
    ],
  ])('%s', async (rule, path, bad, good) => {
    expect(await rulesBroken(path, bad)).toEqual([`@typescript-eslint/${rule}`])
    expect(await rulesBroken(path, good)).toEqual([])
  })

  it.each([
    [
      'a barrel',
      'no-restricted-syntax',
      PLAIN,
      "export * from '../files/library'",
      "export { thing } from '../files/library'",
    ],
    [
      'zod in pieces',
      'no-restricted-syntax',
      'app/tasks/message.server.ts',
      "import { z } from 'zod'\nexport const id = z.uuid()",
      "import * as z from 'zod'\nexport const id = z.uuid()",
    ],
    [
      'a loose comparison',
      'eqeqeq',
      PLAIN,
      'export const same = (a: string) => a == ""',
      'export const same = (a: string) => a === ""',
    ],
    [
      'an import of nothing',
      'import-x/no-unresolved',
      PLAIN,
      "export { gone } from './gone'",
      "export { thing } from '../files/library'",
    ],
    [
      'a processor that reaches out',
      'no-restricted-globals',
      'app/tasks/processors/reverse.server.ts',
      "export const go = () => fetch('https://example.test')",
      'export const go = (bytes: Uint8Array) => bytes.toReversed()',
    ],
    [
      'the console',
      'no-console',
      PLAIN,
      'export const go = () => console.log(1)',
      'export const go = () => 1',
    ],
    [
      'a hook on a condition',
      'react-hooks/rules-of-hooks',
      PAGE,
      "import { useState } from 'react'\nexport function Clock(props: { on: boolean }) {\n  if (props.on) useState(0)\n  return null\n}",
      "import { useState } from 'react'\nexport function Clock() {\n  useState(0)\n  return null\n}",
    ],
    [
      'an effect that forgets',
      'react-hooks/exhaustive-deps',
      PAGE,
      "import { useEffect } from 'react'\nexport function useTitle(title: string) {\n  useEffect(() => {\n    document.title = title\n  }, [])\n}",
      "import { useEffect } from 'react'\nexport function useTitle(title: string) {\n  useEffect(() => {\n    document.title = title\n  }, [title])\n}",
    ],
  ])('refuses %s', async (_what, rule, path, bad, good) => {
    expect(await rulesBroken(path, bad)).toEqual([rule])
    expect(await rulesBroken(path, good)).toEqual([])
  })

  it('lets the log use the console', async () => {
    expect(await rulesBroken('app/log.server.ts', 'export const log = () => console.log(1)')).toEqual([])
  })

  it('refuses a value of the server in a page', async () => {
    const code = (name: string) =>
      `import { thing } from '~/tasks/message.server'\nexport const ${name} = () => thing`
    expect(await rulesBroken('app/routes/_index.tsx', code('meta'))).toEqual(['millrace/no-server-leak'])
    expect(await rulesBroken('app/routes/_index.tsx', code('loader'))).toEqual([])
  })

  it.each([
    'app/files/utils.ts',
    'app/files/upload-helpers.server.ts',
    'app/common/names.ts',
    'app/files/index.ts',
  ])('refuses the name %s', async (path) => {
    expect(await rulesBroken(path, 'export const thing = 1')).toEqual(['millrace/telling-names'])
  })

  it.each(['app/files/library.ts', 'app/routes/_index.tsx'])('takes the name %s', async (path) => {
    expect(await rulesBroken(path, 'export const thing = 1')).toEqual([])
  })
}, 60_000)
