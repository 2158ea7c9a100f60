import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const alias = { '~': fileURLToPath(new URL('./app', import.meta.url)) }

export default defineConfig({
  test: {
    // Once for the run, whichever projects take part: its PostgreSQL.
    globalSetup: './app/testing/global-setup.ts',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['app/**/*.test.{ts,tsx}', 'workers/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.worker.test.ts'],
          pool: 'forks',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Each file runs the whole built Worker: few at a time.
        resolve: { alias },
        test: {
          name: 'worker',
          include: ['**/*.worker.test.ts'],
          exclude: ['node_modules/**'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
