import { afterAll, describe, expect, it } from 'vitest'
import { smallSite } from './small-site'

/** One file for each part of a site, by a short name. */
const PARTS = {
  config: 'app/config/site.ts',
  environment: 'app/config/environment.server.ts',
  db: 'app/db/client.server.ts',
  context: 'app/context.server.ts',
  log: 'app/log.server.ts',
  states: 'app/tasks/states.ts',
  tasks: 'app/tasks/claim.server.ts',
  processor: 'app/tasks/processors/reverse.server.ts',
  files: 'app/files/upload.server.ts',
  credits: 'app/credits/ledger.server.ts',
  auth: 'app/auth/session.server.ts',
  counters: 'app/rate-limits/count.server.ts',
  http: 'app/http/respond.server.ts',
  component: 'app/components/button.tsx',
  route: 'app/routes/home.tsx',
  root: 'app/root.tsx',
  invocation: 'app/invocation.server.ts',
  entry: 'workers/queue.ts',
  script: 'scripts/start.mjs',
  testing: 'app/testing/database.ts',
}
type Part = keyof typeof PARTS

const PACKAGES = ['react', '@remix-run/cloudflare', 'content-disposition', 'postgres', 'zod', 'node:crypto']

const DOMAIN_PACKAGES = ['content-disposition', 'postgres', 'zod', 'node:crypto']
const BASE: Part[] = ['config', 'environment', 'db', 'context', 'log']
const CALLABLE: Part[] = ['states', 'tasks', 'processor', 'files', 'credits', 'auth', 'counters']

/** Who imports, from which file, and all that it may import. */
const RULES: [who: string, file: string, may: string[]][] = [
  ['config', 'app/config/limits.server.ts', ['config', 'environment', 'context', 'log', ...DOMAIN_PACKAGES]],
  ['db', 'app/db/keyset.server.ts', [...BASE, ...DOMAIN_PACKAGES]],
  [
    'tasks',
    'app/tasks/delivery.server.ts',
    [...BASE, 'states', 'tasks', 'processor', 'files', 'credits', ...DOMAIN_PACKAGES],
  ],
  [
    'a processor',
    'app/tasks/processors/shout.server.ts',
    ['config', 'environment', 'log', 'processor', 'content-disposition', 'zod'],
  ],
  ['files', 'app/files/quota.server.ts', [...BASE, 'files', ...DOMAIN_PACKAGES]],
  ['credits', 'app/credits/prices.server.ts', [...BASE, 'credits', ...DOMAIN_PACKAGES]],
  ['auth', 'app/auth/accounts.server.ts', [...BASE, 'auth', 'counters', ...DOMAIN_PACKAGES]],
  ['rate limits', 'app/rate-limits/prune.server.ts', [...BASE, 'auth', 'counters', ...DOMAIN_PACKAGES]],
  ['http', 'app/http/form.server.ts', [...BASE, ...CALLABLE, 'http', 'component', 'invocation', ...PACKAGES]],
  [
    'a component',
    'app/components/field.tsx',
    ['config', 'states', 'component', 'react', '@remix-run/cloudflare', 'content-disposition'],
  ],
  [
    'a route',
    'app/routes/about.tsx',
    [...BASE, ...CALLABLE, 'http', 'component', 'invocation', ...PACKAGES].filter(
      (part) => !['db', 'postgres'].includes(part),
    ),
  ],
  [
    'an entry',
    'workers/scheduled.ts',
    [...BASE, ...CALLABLE, 'http', 'invocation', 'entry', 'script', ...PACKAGES],
  ],
  ['a test', 'app/files/quota.test.ts', [...BASE, 'files', 'entry', 'script', 'testing', ...PACKAGES]],
  [
    'a route’s test',
    'app/routes/about.test.tsx',
    [
      ...BASE,
      ...CALLABLE,
      'http',
      'component',
      'route',
      'root',
      'invocation',
      'entry',
      'script',
      'testing',
      ...PACKAGES,
    ].filter((part) => part !== 'db'),
  ],
  ['testing', 'app/testing/factories.ts', [...Object.keys(PARTS), ...PACKAGES]],
]

describe('who may import whom', () => {
  const stubs = [...Object.values(PARTS), ...RULES.map(([, file]) => file)]
  const site = smallSite(Object.fromEntries(stubs.map((path) => [path, 'export const thing = 1\n'])))
  afterAll(() => site.remove())

  const nameInImport = (path: string) => `~/${path}`.replace('~/app/', '~/').replace(/\.tsx?$/, '')
  const specifiers: [part: string, specifier: (from: string) => string][] = [
    ...Object.entries(PARTS).map(([part, path]): [string, (from: string) => string] => [
      part,
      (from) =>
        path.startsWith('app/')
          ? nameInImport(path)
          : `${'../'.repeat(from.split('/').length - 1)}${path.replace(/\.ts$/, '')}`,
    ]),
    ...PACKAGES.map((name): [string, () => string] => [name, () => name]),
  ]

  it.each(RULES)('%s', async (_who, file, may) => {
    const lines = specifiers.map(
      ([, specifier], index) => `import * as part${index} from '${specifier(file)}'`,
    )
    const complaints = await site.lint(file, `${lines.join('\n')}\n`)
    const refused = new Set(complaints.map(({ line }) => specifiers[line - 1]![0]))
    const allowed = specifiers.map(([part]) => part).filter((part) => !refused.has(part))
    expect(allowed.sort()).toEqual([...may].sort())
    expect(complaints.map(({ rule }) => rule)).not.toContain('import-x/no-unresolved')
  })

  it.each([
    ['by a relative path', "import { thing } from '../testing/database'"],
    ['when it is re-exported', "export { thing } from '~/testing/database'"],
    ['when it is imported later', "export const later = () => import('~/testing/database')"],
    ['for its types only', "import type { thing } from '~/testing/database'"],
  ])('sees a forbidden import %s', async (_how, code) => {
    const complaints = await site.lint('app/tasks/delivery.server.ts', `${code}\n`)
    expect(complaints.map(({ rule }) => rule)).toEqual(['import-x/no-restricted-paths'])
  })

  it('lets the browser’s files know the types of a server module, components not even those', async () => {
    const code = "import type { thing } from '~/config/environment.server'\n"
    expect(await site.lint('app/config/site.ts', code)).toEqual([])
    expect(await site.lint('app/config/site.ts', code.replace('type ', ''))).toHaveLength(1)
    expect(await site.lint('app/components/button.tsx', code)).toHaveLength(1)
  })

  it('lets a route know the type of the root’s loader, and nothing else of it', async () => {
    const code = "import type { thing } from '~/root'\n"
    expect(await site.lint('app/routes/about.tsx', code)).toEqual([])
    expect(await site.lint('app/routes/about.tsx', code.replace('type ', ''))).toHaveLength(1)
  })

  it('finds a circle, unless only types go around', async () => {
    const circle = smallSite({
      'app/files/one.server.ts': "import { other } from './other.server'\nexport const one = () => other\n",
      'app/files/other.server.ts': 'export const other = 1\n',
    })
    const cycle = (code: string) => circle.lint('app/files/other.server.ts', code)
    try {
      expect(await cycle("import { one } from './one.server'\nexport const other = () => one\n")).toEqual([
        { rule: 'import-x/no-cycle', line: 1 },
      ])
      expect(
        await cycle("import type { one } from './one.server'\nexport type Other = typeof one\n"),
      ).toEqual([])
    } finally {
      circle.remove()
    }
  })
}, 60_000)
