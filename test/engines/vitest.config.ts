import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { EXECUTABLE, hasNoBrowser } from '../support/browser.ts'

/*
 * Runs the SDK's tests with the packed SDK in each engine, against a real service: `pnpm test:engines`. The tests stay in
 * Node.js; only `@companion/sdk` is another module for them, whose clients live in the engine.
 */
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

process.env['NODE_COMPILE_CACHE'] ??= here('../../node_modules/.cache/compiled')

const engines = ['node', 'hermes', ...(hasNoBrowser ? [] : ['chromium'])]
if (hasNoBrowser) console.warn(`SKIPPED: Chromium, because there is no browser at ${EXECUTABLE}`)

const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 240_000 } } }

export default defineConfig({
  test: {
    root: here('../..'),
    maxWorkers: 3,
    // One database server and one package for all.
    globalSetup: here('global-setup.ts'),
    projects: [
      {
        test: {
          name: 'files',
          root: here('../..'),
          provide: { template: 'template' },
          include: ['test/engines/*.test.ts'],
          setupFiles: 'test/support/before-each-file.ts',
          ...timeouts,
        },
      },
      ...engines.map((engine) => ({
        resolve: {
          alias: [
            { find: /^@companion\/sdk$/, replacement: here('sdk.ts') },
            { find: /^@companion\/sdk\/firmware$/, replacement: here('sdk-firmware.ts') },
          ],
        },
        test: {
          name: engine,
          root: here('../..'),
          provide: { engine, template: 'template' },
          isolate: false,
          include: [
            'test/sdk/{changes,files,firmware,operations,outbox,retry-after,session,way-back}.test.ts',
          ],
          setupFiles: ['test/support/before-each-file.ts', here('after-each-file.ts')],
          ...timeouts,
        },
      })),
    ],
  },
})
