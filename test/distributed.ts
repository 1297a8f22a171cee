import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { installedCitus } from './support/citus.ts'

/*
 * Runs tests on a Citus that is installed on this machine: `pnpm test:distributed`, `pnpm test:distributed --on alone`,
 * `pnpm test:distributed test/contract/calendar`. Nothing runs where none is installed, in CI neither.
 */

/** The tests whose servers work on what is distributed. The others bring a database of their own, or need none. */
const DEFAULT = [
  'test/contract',
  'test/database/citus.test.ts',
  'test/faults',
  'test/guarantees',
]

const { values, positionals } = parseArgs({
  options: { on: { type: 'string', default: 'workers' } },
  allowPositionals: true,
})

if (installedCitus()) {
  const files = positionals.length > 0 ? positionals : DEFAULT
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'service', ...files], {
    env: { ...process.env, DISTRIBUTED: values.on },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} else {
  console.warn('SKIPPED: no PostgreSQL with the extension citus is installed. CITUS_PG may name its folder.')
}
