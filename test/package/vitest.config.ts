import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/* Installs the packed SDK outside the workspace and compiles against it with five compilers: `pnpm test:package`. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    name: 'package',
    include: ['test/package/package.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
