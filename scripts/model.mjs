#!/usr/bin/env node
/**
 * The long run of the engine's model test: `npm run model -- 3000`, thousands of random histories on real PostgreSQL. A
 * failing one is shrunk and printed with its seed; `MODEL_SEED=<seed> npm run model` runs it again.
 */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const runs = process.argv[2] ?? '3000'
if (!/^[1-9]\d*$/.test(runs)) {
  console.error(`"${runs}" is no number of histories. For example: npm run model -- 3000`)
  process.exit(2)
}
const { status } = spawnSync(
  join(root, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', 'unit', 'app/tasks/model'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MODEL_RUNS: runs },
  },
)
process.exit(status ?? 1)
