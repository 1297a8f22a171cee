import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { installedCitus } from './support/machines/citus.ts'

/*
 * Runs tests on a Citus that is installed on this machine: `pnpm test:distributed`, also of named files, with
 * `DISTRIBUTED=alone` on a coordinator alone. Nothing runs where none is installed, not in CI either.
 */

/** Where tests read or write what is distributed. */
const FOLDERS = ['contract', 'delivery', 'issues', 'guarantees', 'operator', 'reports']
/** These bring a PostgreSQL of their own. */
const WITHOUT = new Set([
  'faults/crash',
  'faults/database-dies',
  'faults/hanging',
  'faults/many-at-once',
  'faults/workers',
  'guarantees/stolen-files',
  'operator/backup',
])

if (installedCitus()) {
  const given = process.argv.slice(2)
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--project', 'service', ...(given.length > 0 ? given : touching())],
    {
      env: { DISTRIBUTED: 'workers', ...process.env },
      stdio: 'inherit',
    },
  )
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} else {
  console.warn('SKIPPED: no PostgreSQL with the extension citus is installed. CITUS_PG may name its folder.')
}

function touching(): string[] {
  const files = globSync(`{${FOLDERS.join(',')}}/**/*.test.ts`, { cwd: import.meta.dirname })
  return files.filter((file) => !WITHOUT.has(file.replace('.test.ts', ''))).map((file) => `test/${file}`)
}
