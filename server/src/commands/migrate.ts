import { InvalidArgumentError } from 'commander'
import { readConfig } from '../config/config.ts'
import type { Config } from '../config/config.ts'
import { openConfiguredDatabase } from '../database/configured.ts'
import type { Database } from '../database/database.ts'
import { inspectNodes, tablesOfNodes } from '../database/distributed/nodes.ts'
import { command, CommandError, print } from './program.ts'
import { startSteps } from './progress.ts'
import { table } from './table.ts'

interface Options {
  json?: boolean
  putBack?: boolean
  distributed?: boolean
  shards: number
  dryRun?: boolean
  undo?: boolean
}

/** Enough for 64 nodes, and few enough that each shard's indexes are large. */
const SHARDS = 64

export const migrateCommand = command(
  'migrate',
  'bring the database schema up to date (`serve` also does this)',
  'migrate',
  'migrate --distributed --dry-run',
)
  .option('--put-back', 'also put back SQL functions that a newer version has replaced')
  .option('--distributed', 'distribute the tables that grow with the devices over the nodes of Citus')
  .option('--shards <number>', 'how many parts each of them gets', shardCount, SHARDS)
  .option('--dry-run', 'with --distributed: say whether it could be done, and what it would do')
  .option('--undo', 'with --distributed: bring the tables back to one machine')
  .action(async (options: Options) => {
    if (!options.distributed && (options.dryRun || options.undo))
      throw new CommandError('--dry-run and --undo need --distributed')
    const config = { ...readConfig(process.env), statementSeconds: undefined }
    const { database, close } = await openConfiguredDatabase(config)
    const progress = startSteps()
    const watching = { warn: progress.say, report: progress.show }
    try {
      const applied = options.dryRun
        ? []
        : await database
            .migrate({ ...watching, ...(options.putBack && { putBack: true }) })
            .finally(() => progress.end())
      await database.encryption.check()
      if (options.distributed) {
        await distribute(database, config, options, watching).finally(() => progress.end())
        return
      }
      print(
        { applied },
        options,
        applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date',
      )
    } finally {
      await close()
    }
  })

async function distribute(
  database: Database,
  { databaseReplicaUrls }: Config,
  { undo = false, dryRun = false, shards, json = false }: Options,
  watching: { warn: (line: string) => void; report: (unit: string, done: number, share: number) => void },
): Promise<void> {
  const inspection = await inspectNodes(database.pool)
  const faults = [...inspection.faults]
  if (databaseReplicaUrls.length > 0)
    faults.push('DATABASE_REPLICA_URLS is set, and a distributed database is not read from replicas')
  if (!dryRun && faults.length > 0 && !undo) throw new CommandError(`Not distributed: ${faults.join('; ')}`)
  if (!dryRun && undo) await database.distribution.undo(watching)
  else if (!dryRun) {
    await database.distribution.prepare(watching)
    await database.distribution.distribute({ shards, ...watching })
  }
  const tables = await tablesOfNodes(database.pool)
  const { nodes } = inspection
  const lines = [
    ...faults.map((fault) => `Cannot be distributed: ${fault}`),
    table(
      ['node', 'takes rows'],
      nodes.map(({ name, port, holds_shards }) => [`${name}:${port}`, holds_shards ? 'yes' : 'no']),
      'No nodes are registered',
    ),
    table(
      ['table', 'by', 'shards', 'bytes'],
      tables.map(({ name, column, shards: parts, bytes }) => [name, column, parts, bytes]),
      '',
    ),
  ]
  print({ faults, nodes, tables }, { json }, lines.join('\n\n'))
  if (dryRun && faults.length > 0) process.exitCode = 1
}

function shardCount(text: string): number {
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > 4096)
    throw new InvalidArgumentError('must be a whole number from 1 to 4096')
  return shards
}
