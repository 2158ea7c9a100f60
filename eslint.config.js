import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript'
import { importX } from 'eslint-plugin-import-x'
import reactHooks from 'eslint-plugin-react-hooks'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'
import { DOMAIN, PACKAGES, PRODUCTION_ZONES, ZONES } from './scripts/lint/boundaries.js'
import { noServerLeak } from './scripts/lint/no-server-leak.js'
import { tellingNames } from './scripts/lint/telling-names.js'

const TESTS = ['**/*.test.{ts,tsx}', 'app/testing/**', 'e2e/**']
const ROUTES = ['app/routes/**/*.{ts,tsx}', 'app/root.tsx']
const inDomain = DOMAIN.map((folder) => `app/${folder}/**/*.ts`)

/** The rules for the site in this folder. Tests of the rules lint a small one of their own. */
export const configFor = (/** @type {string} */ root) =>
  defineConfig(
    globalIgnores([
      ...['build', 'dist', 'public', 'migrations', '.cache', '.data*', '.wrangler'],
      ...['test-results', 'playwright-report'],
    ]),
    tseslint.configs.recommended,
    {
      plugins: {
        'import-x': importX,
        'react-hooks': reactHooks,
        millrace: { rules: { 'no-server-leak': noServerLeak, 'telling-names': tellingNames } },
      },
      settings: {
        'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
        'import-x/extensions': ['.ts', '.tsx', '.js', '.mjs'],
        'import-x/resolver-next': [createTypeScriptImportResolver({ project: `${root}/tsconfig.json` })],
      },
      linterOptions: { reportUnusedDisableDirectives: 'error' },
      rules: {
        'import-x/no-cycle': ['error', { ignoreExternal: true }],
        'import-x/no-restricted-paths': ['error', { basePath: root, zones: PRODUCTION_ZONES }],
        'import-x/no-unresolved': ['error', { ignore: ['\\.\\./build/index\\.js$', '^cloudflare:'] }],
        'millrace/telling-names': 'error',
        eqeqeq: ['error', 'always'],
        '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
        'no-restricted-syntax': [
          'error',
          { selector: 'ExportAllDeclaration', message: 'No barrels: import the file that owns the thing.' },
          {
            selector: "ImportDeclaration[source.value='zod'] ImportSpecifier",
            message: 'Write `import * as z from "zod"`: what is not used is then left out of a bundle.',
          },
        ],
      },
    },
    {
      files: TESTS,
      rules: { 'import-x/no-restricted-paths': ['error', { basePath: root, zones: ZONES }] },
    },
    {
      files: ['**/*.{ts,tsx}'],
      languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
      rules: {
        '@typescript-eslint/no-floating-promises': 'error',
        '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
        '@typescript-eslint/await-thenable': 'error',
        '@typescript-eslint/no-explicit-any': 'error',
        '@typescript-eslint/ban-ts-comment': [
          'error',
          { 'ts-expect-error': 'allow-with-description', minimumDescriptionLength: 10 },
        ],
        '@typescript-eslint/switch-exhaustiveness-check': [
          'error',
          { considerDefaultExhaustiveForUnions: true },
        ],
      },
    },
    {
      files: ['app/**/*.{ts,tsx}'],
      ignores: ['app/log.server.ts', ...TESTS],
      rules: { 'no-console': 'error' },
    },
    {
      files: [
        ...inDomain,
        'app/db/**/*.ts',
        'app/config/**/*.ts',
        'app/context.server.ts',
        'app/log.server.ts',
      ],
      ignores: TESTS,
      rules: { 'no-restricted-imports': ['error', { patterns: [PACKAGES.pages] }] },
    },
    {
      files: ['app/tasks/processors/**/*.ts'],
      ignores: TESTS,
      rules: {
        'no-restricted-imports': ['error', { patterns: [PACKAGES.pages, PACKAGES.outside] }],
        'no-restricted-globals': ['error', 'fetch', 'WebSocket', 'caches'],
      },
    },
    {
      files: ROUTES,
      ignores: TESTS,
      rules: {
        'millrace/no-server-leak': 'error',
        'no-restricted-imports': ['error', { patterns: [PACKAGES.storage] }],
        '@typescript-eslint/no-restricted-imports': ['error', { patterns: [PACKAGES.root] }],
      },
    },
    {
      // Whatever has no ".server" in its name may end up in the browser.
      files: ['app/**/*.{ts,tsx}'],
      ignores: ['**/*.server.{ts,tsx}', 'app/components/**', ...ROUTES, ...TESTS],
      rules: {
        '@typescript-eslint/no-restricted-imports': [
          'error',
          { patterns: [{ ...PACKAGES.server, allowTypeImports: true }] },
        ],
      },
    },
    {
      files: ['app/components/**/*.{ts,tsx}'],
      ignores: TESTS,
      rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [PACKAGES.server] }] },
    },
    {
      files: ['app/**/*.tsx', 'app/components/**/*.ts'],
      rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
    },
  )

export default configFor(import.meta.dirname)
