import { readConfig } from '../config/config.ts'
import { openConfiguredDatabase } from '../database/configured.ts'
import { command, print } from './program.ts'
import { startSteps } from './progress.ts'

export const migrateCommand = command(
  'migrate',
  'bring the database schema up to date (`serve` also does this)',
  'migrate',
)
  .option('--put-back', 'also put back SQL functions that a newer version has replaced')
  .action(async (options: { json?: boolean; putBack?: boolean }) => {
    const { database, close } = await openConfiguredDatabase(readConfig(process.env))
    const progress = startSteps()
    try {
      const applied = await database
        .migrate({ ...options, warn: progress.say, report: progress.show })
        .finally(() => progress.end())
      await database.encryption.check()
      print(
        { applied },
        options,
        applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date',
      )
    } finally {
      await close()
    }
  })
