import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ESLint } from 'eslint'
import { configFor } from '../../eslint.config.js'

/** A broken rule, and the line of the code that broke it. */
export interface Complaint {
  rule: string
  line: number
}

const root = new URL('../..', import.meta.url).pathname

const TSCONFIG = {
  compilerOptions: {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    target: 'ES2022',
    strict: true,
    jsx: 'react-jsx',
    noEmit: true,
    baseUrl: '.',
    paths: { '~/*': ['./app/*'] },
  },
  include: ['app', 'workers', 'scripts', 'e2e'],
}

/**
 * A site of the same layout as ours, with these files, linted by the same rules. So the tests of the rules don't depend on
 * what the product's own files are called.
 */
export function smallSite(files: Record<string, string>) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'lint-'))
  for (const [path, code] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(TSCONFIG) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  const eslint = new ESLint({ cwd: folder, overrideConfigFile: true, overrideConfig: configFor(folder) })

  return {
    /** What the linter says of this file, were that its code. The file has to be one of the site's. */
    async lint(path: string, code: string): Promise<Complaint[]> {
      const [result] = await eslint.lintText(code, { filePath: join(folder, path) })
      return result!.messages
        .map(({ ruleId, message, line }) => ({ rule: ruleId ?? message, line }))
        .filter(({ rule }) => rule !== '@typescript-eslint/no-unused-vars')
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
