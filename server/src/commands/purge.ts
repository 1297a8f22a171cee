import { deriveKeys } from '../auth/keys.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { purge } from '../database/purge.ts'
import { trailMonths } from '../trail/purge-trail.ts'
import { command, CommandError, print, withDatabase } from './program.ts'
import { startProgress } from './progress.ts'
import { table } from './table.ts'

export const purgeCommand = command(
  'purge',
  'delete expired data and old tombstones (`serve` also does this every hour)',
  'purge',
).action(async (options: { json?: boolean }) => {
  const progress = startProgress('rows')
  const purged = await withDatabase(async ({ config, database }) =>
    purge(database, config, {
      report: progress.show,
      more: trailMonths(deriveKeys(await readTokenSecret(config), config), config),
    }),
  ).finally(() => progress.end())
  if (!purged) throw new CommandError('Another process is already purging')
  print(
    purged,
    options,
    table(
      ['rows', 'kind'],
      Object.entries(purged).map(([kind, rows]) => [rows, kind.replaceAll('_', ' ')]),
      '',
    ),
  )
})
