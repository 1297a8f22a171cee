import { purge } from '../database/purge.ts'
import { command, CommandError, print, withDatabase } from './program.ts'
import { startProgress } from './progress.ts'
import { table } from './table.ts'

export const purgeCommand = command(
  'purge',
  'delete expired data and old tombstones (`serve` also does this every hour)',
  'purge',
).action(async (options: { json?: boolean }) => {
  const progress = startProgress('rows')
  const purged = await withDatabase(({ config, database }) =>
    purge(database, config, { report: progress.show }),
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
