import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { entitiesText } from './entities-text.ts'
import { schemaText } from './schema-text.ts'
import { openDatabase } from './src/database/database.ts'
import { openEmbeddedPostgres } from './src/embedded-postgres/open.ts'

/* Writes server/schema.sql and the entities. With --check it only says which file is out of date. */

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

/** The files, by their paths from here, as a new database says that they should be. */
async function newTexts(): Promise<Record<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-schema-'))
  const postgres = await openEmbeddedPostgres({ directory, settings: { fsync: 'off' } })
  const database = await openDatabase(postgres.url, { pool: 2 })
  try {
    await database.migrate()
    return {
      'schema.sql': `-- The schema that the SQL files in src/database make, to be read. \`pnpm generate\` writes this file.
${await schemaText(database.pool)}`,
      'src/entities/entities.ts': await entitiesText(database.pool),
    }
  } finally {
    await database.close()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

for (const [path, text] of Object.entries(await newTexts())) {
  const file = new URL(path, import.meta.url)
  if (!values.check) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(
      `server/${path} is not what the migrations and functions make: run \`pnpm generate\` and commit it.`,
    )
    process.exitCode = 1
  }
}
