import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/* The contract tests, through two servers behind a proxy, PgBouncer and a replica: `pnpm test:lab`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    name: 'lab',
    include: ['test/contract/**/*.test.ts'],
    globalSetup: 'test/lab/setup.ts',
    setupFiles: 'test/support/before-each-file.ts',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
