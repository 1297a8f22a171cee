import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { schemaText } from './schema-text.ts'
import { openDatabase } from './src/database/database.ts'
import { openEmbeddedPostgres } from './src/database/embedded/open.ts'

/* Writes server/schema.sql. With --check it only says whether the file is out of date. */

const file = new URL('./schema.sql', import.meta.url)
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

/** The schema of a new database. */
async function newSchema(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-schema-'))
  const postgres = await openEmbeddedPostgres({ directory, settings: { fsync: 'off' } })
  const database = await openDatabase(postgres.url, { pool: 2 })
  try {
    await database.migrate()
    return await schemaText(database.pool)
  } finally {
    await database.close()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

const text = `-- The schema that the SQL files in src/database make, to be read. \`pnpm generate\` writes this file.
${await newSchema()}`

if (!values.check) await writeFile(file, text)
else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error(
    'server/schema.sql is not what the migrations and functions make: run `pnpm generate` and commit it.',
  )
  process.exitCode = 1
}
