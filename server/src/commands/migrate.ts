import { readConfig } from '../config/config.ts'
import { openConfiguredDatabase } from '../database/configured.ts'
import { command, print } from './program.ts'

export const migrateCommand = command(
  'migrate',
  'bring the database schema up to date (`serve` also does this)',
).action(async (options: { json?: boolean }) => {
  const { database, close } = await openConfiguredDatabase(readConfig(process.env))
  try {
    const applied = await database.migrate()
    print(
      { applied },
      options,
      applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date',
    )
  } finally {
    await close()
  }
})
