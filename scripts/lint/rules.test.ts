import { ESLint } from 'eslint'
import { describe, expect, it } from 'vitest'

const eslint = new ESLint({ cwd: new URL('../..', import.meta.url).pathname })

/** The rules that a file with this content would break, at a path of an existing file so that types resolve. */
async function rulesBroken(path: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path })
  return [...new Set(result!.messages.map(({ ruleId, message }) => ruleId ?? message))].filter(
    (rule) => rule !== '@typescript-eslint/no-unused-vars',
  )
}

const use = (name: string, from: string) => `import { ${name} } from '${from}'\nexport const used = ${name}\n`

describe('the linter keeps the architecture', () => {
  const PATHS = 'import-x/no-restricted-paths'
  const IMPORTS = 'no-restricted-imports'
  const CLIENT = '@typescript-eslint/no-restricted-imports'

  it.each([
    [
      'a domain folder from http',
      'app/files/queries.server.ts',
      use('json', '../http/respond.server'),
      PATHS,
    ],
    ['a domain folder from components', 'app/tasks/states.ts', use('useNonce', '../components/nonce'), PATHS],
    [
      'a domain folder from Remix',
      'app/tasks/queries.server.ts',
      use('redirect', '@remix-run/cloudflare'),
      IMPORTS,
    ],
    ['a domain folder from React', 'app/files/queries.server.ts', use('useState', 'react'), IMPORTS],
    ['files from tasks', 'app/files/queries.server.ts', use('isActive', '../tasks/states'), PATHS],
    ['tasks from auth', 'app/tasks/queries.server.ts', use('readSession', '../auth/session.server'), PATHS],
    ['db from a domain folder', 'app/db/client.server.ts', use('isActive', '../tasks/states'), PATHS],
    [
      'a processor from the database',
      'app/tasks/processors/text-normalize.server.ts',
      use('connect', '../../db/client.server'),
      PATHS,
    ],
    [
      'a processor from the engine',
      'app/tasks/processors/text-normalize.server.ts',
      use('submitTask', '../submission.server'),
      PATHS,
    ],
    ['http from a route', 'app/http/respond.server.ts', use('loader', '../routes/healthz'), PATHS],
    ['a route from a route', 'app/routes/login.tsx', use('meta', './signup'), PATHS],
    ['a component from http', 'app/components/nonce.ts', use('json', '../http/respond.server'), PATHS],
    [
      'a component from a server module',
      'app/components/nonce.ts',
      use('json', '../http/respond.server'),
      CLIENT,
    ],
    [
      'production code from testing',
      'app/tasks/queries.server.ts',
      use('submit', '../testing/tasks'),
      IMPORTS,
    ],
    ['an entry from testing', 'workers/queue.ts', use('submit', '~/testing/tasks'), IMPORTS],
  ])('%s', async (_, path, code, rule) => {
    expect(await rulesBroken(path, code)).toContain(rule)
  })

  it.each([
    [
      'a route may use the domain in its loader',
      'app/routes/healthz.ts',
      "import { timeOf } from '~/db/values.server'\nexport function loader() {\n  return timeOf({ now: null })\n}\n",
    ],
    ['tasks may use files', 'app/tasks/queries.server.ts', use('sha256Hex', '../files/digest.server')],
    ['a test may use testing', 'app/tasks/states.test.ts', use('submit', '../testing/tasks')],
    [
      'a component may know the names of the states',
      'app/components/wording.ts',
      use('isActive', '../tasks/states'),
    ],
  ])('%s', async (_, path, code) => {
    expect(await rulesBroken(path, code)).toEqual([])
  })

  const leaky = (body: string) => `import { timeOf } from '~/db/values.server'\n${body}\n`
  it.each([
    ['a component', 'export default function Page() {\n  return timeOf({ now: null })\n}'],
    ['a constant of the module', 'export const handle = timeOf({ now: null })'],
    [
      'a function beside the loader',
      'function inner() {\n  return timeOf({ now: null })\n}\nexport const loader = () => inner()',
    ],
  ])('a value from the server does not leak into the browser through %s', async (_, body) => {
    expect(await rulesBroken('app/routes/login.tsx', leaky(body))).toContain('millrace/no-server-leak')
  })

  it.each([
    ['loader', 'export function loader() {\n  return timeOf({ now: null })\n}'],
    ['action', 'export const action = () => timeOf({ now: null })'],
  ])('a value from the server may be used in %s', async (_, body) => {
    expect(await rulesBroken('app/routes/login.tsx', leaky(body))).toEqual([])
  })

  it('knows no way around the types', async () => {
    const code = 'export const value: any = 1\n'
    expect(await rulesBroken('app/tasks/states.ts', code)).toContain('@typescript-eslint/no-explicit-any')
    expect(await rulesBroken('app/tasks/states.ts', "export * from './message.server'\n")).toContain(
      'no-restricted-syntax',
    )
  })

  it('finds cycles', async () => {
    expect(await rulesBroken('app/files/digest.server.ts', use('storeUpload', './upload.server'))).toContain(
      'import-x/no-cycle',
    )
  })
}, 60_000)
