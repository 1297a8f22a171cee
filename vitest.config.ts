import { defineConfig } from 'vitest/config'

const timeouts = { testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'examples/device-simulator/**/*.test.ts'],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['test/meta/**', '**/node_modules/**'],
          globalSetup: 'test/support/global-setup.ts',
          ...timeouts,
        },
      },
      { test: { name: 'meta', include: ['test/meta/**/*.test.ts'], ...timeouts } },
    ],
  },
})
