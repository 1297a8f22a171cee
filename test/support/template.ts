import { readConfig } from '@companion/server/config/config.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { distributedTables } from '@companion/server/database/nodes/index.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { startCitus } from './machines/citus.ts'
import type { Citus, CitusOptions } from './machines/citus.ts'
import { urlOf } from './database-url.ts'

/** What is cloned for each test file. */
export const TEMPLATE = 'template'
/** The same with the functions of a distributed database, which the project `functions` clones. */
export const DISTRIBUTABLE_TEMPLATE = 'template_distributable'
/** The same with indexes of treatments that begin with the month, which the project `months` clones. */
export const MONTHLY_TEMPLATE = 'template_monthly'

/** Few, because each is a table to copy. */
const SHARDS = 4

/** What is done with the template when it is migrated. */
export type Finish = (template: Database) => Promise<void>

/** Creates a migrated database on a PostgreSQL, to be cloned. */
export async function createTemplate(server: string, name = TEMPLATE, finish?: Finish): Promise<void> {
  const admin = await openDatabase(server, { pool: 1 })
  await admin.pool.query(`CREATE DATABASE ${name}`)
  await admin.close()
  await fillTemplate(urlOf(server, name), finish)
}

/** Starts a Citus with a database `template`: a migrated one with distributed tables, unless it is filled by `fill`. */
export async function startDistributed(options: CitusOptions, fill = fillDistributed): Promise<Citus> {
  const citus = await startCitus(options)
  try {
    await fill(await citus.createDatabase(TEMPLATE))
    for (const node of citus.urls) await leaveAlone(node)
    return citus
  } catch (error) {
    await citus.stop()
    throw error
  }
}

const fillDistributed = (url: string) =>
  fillTemplate(url, async ({ distribution, pool }) => {
    await distribution.prepare()
    // Not as `distribute` does, which needs seconds for each table, because it lets others write meanwhile.
    for (const { table, column, beside } of distributedTables)
      await pool.query(
        'SELECT create_distributed_table($1::regclass, $2, colocate_with => $3, shard_count => $4)',
        [table, column, beside ?? 'none', beside === null ? SHARDS : null],
      )
    await distribution.guard()
  })

async function fillTemplate(url: string, finish?: Finish): Promise<void> {
  const template = await openDatabase(url, { pool: 2 })
  await template.migrate()
  // Makes the partitions that each server would have to make in its clone.
  await purge(template, readConfig({}))
  await finish?.(template)
  await template.close()
}

/** Ends what Citus has connected to the template, and lets nothing connect to it again: it could not be copied meanwhile. */
async function leaveAlone(node: string): Promise<void> {
  const admin = await openDatabase(node, { pool: 1 })
  await admin.pool.query(`ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`)
  await admin.pool.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [
    TEMPLATE,
  ])
  await admin.close()
}
