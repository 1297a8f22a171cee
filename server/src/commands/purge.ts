import { purge } from '../database/purge.ts'
import { command, CommandError, print, withDatabase } from './program.ts'

export const purgeCommand = command(
  'purge',
  'delete expired data and old tombstones (`serve` also does this every hour)',
).action(async (options: { json?: boolean }) => {
  const purged = await withDatabase(({ config, database }) => purge(database, config))
  if (!purged) throw new CommandError('Another process is already purging')
  print(
    purged,
    options,
    Object.entries(purged)
      .map(([what, count]) => `${what.replaceAll('_', ' ')}: ${count}`)
      .join('\n'),
  )
})
