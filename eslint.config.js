import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import { importX } from 'eslint-plugin-import-x'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import { noServerLeak } from './scripts/lint/no-server-leak.js'

/** Folders of the domain: they run the same in a request, a message, a cron and a test. */
const DOMAIN = ['tasks', 'files', 'credits', 'auth', 'rate-limits']
const inApp = (...folders) => folders.map((folder) => `./app/${folder}`)

/** `from` must not be imported by `target`. */
const zone = (target, from, message, except = []) => ({ target, from, message, except })

const ZONES = [
  zone(
    inApp(...DOMAIN, 'db', 'config'),
    [...inApp('http', 'components', 'routes'), './workers'],
    'Domain code knows nothing of requests, pages and entries.',
  ),
  zone(inApp('db', 'config'), inApp(...DOMAIN), 'db and config stand below the domain.'),
  zone(inApp('config'), inApp('db'), 'config stands below db.'),
  zone(inApp('files'), inApp('tasks', 'credits'), 'Files use neither tasks nor credits.'),
  zone(inApp('credits'), inApp('tasks', 'files'), 'Credits use neither tasks nor files.'),
  zone(
    inApp('auth', 'rate-limits'),
    inApp('tasks', 'files', 'credits'),
    'Accounts and counters stand beside the work, not above it.',
  ),
  zone(
    inApp('tasks', 'files', 'credits'),
    inApp('auth', 'rate-limits'),
    'Who asks, and how often, is settled before the domain is called.',
  ),
  zone(
    './app/tasks/processors',
    [...inApp('db', 'files', 'credits'), './app/context.server.ts', './app/tasks'],
    'A processor sees bytes, parameters and a progress function: no database, queue or bucket.',
    ['./processors'],
  ),
  zone(
    inApp('components'),
    [...inApp('routes', 'http', 'db', ...DOMAIN.filter((folder) => folder !== 'tasks')), './workers'],
    'Components get props only.',
  ),
  // The names of the states are words that pages show as well.
  zone(inApp('components'), inApp('tasks'), 'Components get props only.', ['./states.ts']),
  zone(inApp('http'), [...inApp('routes'), './workers'], 'http stands below the routes.'),
  zone('./app/routes', ['./app/routes', './workers'], 'A route never imports a route.'),
]

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'build',
      'dist',
      'public',
      'migrations',
      '.cache',
      '.data',
      '.wrangler',
      'test-results',
      'playwright-report',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    plugins: { 'import-x': importX },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/extensions': ['.ts', '.tsx', '.js', '.mjs'],
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.json' })],
    },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { zones: ZONES }],
      'import-x/no-unresolved': ['error', { ignore: ['\\.\\./build/index\\.js$'] }],
      eqeqeq: ['error', 'always'],
      'no-console': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrels: import the file that owns the thing.' },
      ],
    },
  },
  {
    files: ['app/**/*.{ts,tsx}', 'workers/**/*.ts'],
    ignores: ['app/testing/**', '**/*.test.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/testing/*', '~/testing/*'], message: 'Only tests import testing.' }] },
      ],
    },
  },
  {
    files: DOMAIN.map((folder) => `app/${folder}/**/*.{ts,tsx}`).concat(
      'app/db/**/*.ts',
      'app/config/**/*.ts',
    ),
    ignores: ['**/*.test.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                '@remix-run/react',
                '@remix-run/cloudflare',
                'react',
                'react-dom',
                'react/*',
                'react-dom/*',
              ],
              message: 'Domain code runs without a request and without a page.',
            },
            { group: ['**/testing/*', '~/testing/*'], message: 'Only tests import testing.' },
          ],
        },
      ],
    },
  },
  {
    files: ['app/components/**/*.{ts,tsx}', 'app/entry.client.tsx', 'app/**/*.ts'],
    ignores: [
      '**/*.server.ts',
      '**/*.test.{ts,tsx}',
      'app/testing/**',
      'app/routes/**',
      'app/http/load-context.ts',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/*.server', '~/**/*.server', 'zod'],
              allowTypeImports: true,
              message: 'The browser may reach this file: the compiler would silently empty a server module.',
            },
            { group: ['**/testing/*', '~/testing/*'], message: 'Only tests import testing.' },
          ],
        },
      ],
    },
  },
  {
    files: ['app/routes/**/*.{ts,tsx}', 'app/root.tsx'],
    plugins: { millrace: { rules: { 'no-server-leak': noServerLeak } } },
    rules: { 'millrace/no-server-leak': 'error' },
  },
  {
    files: ['app/**/*.tsx', 'app/components/**/*.ts'],
    plugins: { 'react-hooks': reactHooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    // Build and start scripts run before there is anything to type-check them with; tsc does it all the same.
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
  },
)
