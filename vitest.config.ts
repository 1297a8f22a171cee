import { defineConfig } from 'vitest/config'

// The limits only end tests that hang. They say nothing about speed: on a busy machine a test takes many times longer.
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 240_000 } } }

// Every test file, service and command of a run compiles the same modules.
process.env['NODE_COMPILE_CACHE'] ??= new URL('node_modules/.cache/compiled', import.meta.url).pathname

// `meta` judges what all other tests have seen. Both get an order, because with one worker Vitest runs order 0 last.
const first = { groupOrder: 1 }
const afterwards = { groupOrder: 2 }

export default defineConfig({
  test: {
    // Tests spend more time waiting (for hashes, timers and processes) than computing.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['server/**/*.test.ts', 'sdk/**/*.test.ts', 'examples/device-simulator/**/*.test.ts'],
          sequence: first,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'service',
          // A worker keeps its modules, and V8's work on them, from file to file: a third less of processor time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/meta/**',
            '**/node_modules/**',
            // `pnpm test:package` and `pnpm lab:upgrade` run these: they install packages and another version of the service.
            'test/package/package.test.ts',
            // `pnpm test:engines` runs these.
            'test/engines/**',
            ...(process.env['UPGRADE_NIGHTS'] ? [] : ['test/lab/two-versions.test.ts']),
          ],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/before-each-file.ts',
          sequence: first,
          ...timeouts,
        },
      },
      {
        test: {
          // The bodies of functions that a distributed database has, on the tables of one machine. It uses the PostgreSQL
          // of `service`, and runs with that project only.
          name: 'functions',
          provide: { template: 'template_distributable' },
          isolate: false,
          include: [
            // What has a body of its own there. `DISTRIBUTED=functions vitest run --project service` runs all files on them.
            'test/contract/calendar/save-event.test.ts',
            'test/contract/changes/list.test.ts',
            'test/contract/devices/changes-of-wearer.test.ts',
            'test/contract/devlogs/{delete,former-wearer,upload,upload-lenient}.test.ts',
            'test/contract/basestations/upload-environment.test.ts',
            'test/guarantees/{clinic-figures,cross-output,devlog-life,erasure,races}.test.ts',
            'test/operator/{devlog-shift,event,retention}.test.ts',
          ],
          setupFiles: 'test/support/before-each-file.ts',
          sequence: first,
          ...timeouts,
        },
      },
      {
        test: {
          // The indexes of treatments that begin with the month. It uses the PostgreSQL of `service` too.
          name: 'months',
          provide: { template: 'template_monthly' },
          isolate: false,
          include: [
            'test/contract/devlogs/{delete,former-wearer,upload-lenient}.test.ts',
            'test/contract/calendar/history.test.ts',
            'test/contract/charts/recent.test.ts',
            'test/contract/treatments/list.test.ts',
            'test/guarantees/{cross-output,devlog-life,erasure,races}.test.ts',
            'test/operator/{devlog-shift,retention}.test.ts',
          ],
          setupFiles: 'test/support/before-each-file.ts',
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
            // A tenth of the processor time of the other.
            checker: new URL('node_modules/typescript-7/bin/tsc', import.meta.url).pathname,
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
