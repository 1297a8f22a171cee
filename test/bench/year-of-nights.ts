/*
 * Lets families in twelve zones live for a year by a moved clock, and counts what must not be: alerts of bedtimes and missing nights
 * that come twice, in quiet hours, after the night has arrived, needlessly or not at all, and texts that speak of wearing.
 *
 *   node test/bench/year-of-nights.ts [--families 10000] [--first 2026-01-15] [--last 2027-01-15]
 *
 * DATABASE_URL names a PostgreSQL database that is emptied. Without it, the simulation runs an embedded one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { moveNights } from '../support/moved-nights.ts'

const { values: options } = parseArgs({
  options: {
    families: { type: 'string', default: '10000' },
    first: { type: 'string', default: '2026-01-15' },
    last: { type: 'string', default: '2027-01-15' },
  },
})
const directory = await mkdtemp(join(tmpdir(), 'companion-nights-'))
const embedded = process.env['DATABASE_URL']
  ? undefined
  : await openEmbeddedPostgres({ directory, settings: { synchronous_commit: 'off', max_wal_size: '4GB' } })
const url = process.env['DATABASE_URL'] ?? embedded?.url ?? ''
try {
  const database = await openDatabase(url, { pool: 1 })
  await database.migrate()
  await database.close()
  const { first, last } = options
  const told = await moveNights(url, { families: Number(options.families), first, last }, (date, sofar) =>
    process.stderr.write(`${date} ${JSON.stringify(sofar)}\n`),
  )
  console.log(JSON.stringify(told))
} finally {
  await embedded?.stop()
  await rm(directory, { recursive: true, force: true })
}
