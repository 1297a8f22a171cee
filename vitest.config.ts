import { defineConfig } from 'vitest/config'

// They end what hangs, and judge no speed: on a busy machine all takes many times longer.
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 240_000 } } }

// `meta` judges what all others have seen. Their order is given too: with one worker Vitest runs order 0 last.
const first = { groupOrder: 1 }
const afterwards = { groupOrder: 2 }

export default defineConfig({
  test: {
    // Tests wait more than they compute: for hashes, timers and processes.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'examples/device-simulator/**/*.test.ts'],
          sequence: first,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['test/meta/**', '**/node_modules/**'],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/note-file.ts',
          sequence: first,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['sdk/**/*.test-d.ts'],
            tsconfig: 'sdk/tsconfig.json',
            ignoreSourceErrors: true,
          },
          sequence: first,
        },
      },
      { test: { name: 'meta', include: ['test/meta/**/*.test.ts'], sequence: afterwards, ...timeouts } },
    ],
  },
})
