import { InvalidArgumentError } from 'commander'
import { canonicalizePhones, describeSharedNumber } from '../auth/phone/canonical-phones.ts'
import type { Config } from '../config/config.ts'
import { NO_REPLICAS } from '../database/database.ts'
import type { Database } from '../database/database.ts'
import { inspectNodes, MONTHLY_INDEXES_ERROR, listDistributedTables } from '../database/nodes/index.ts'
import { descriptions } from './descriptions.ts'
import {
  createCommand,
  CommandError,
  openDatabaseForCommand,
  prepareDatabase,
  printResult,
} from './program.ts'
import { startSteps } from './progress.ts'
import { table } from './table.ts'

interface Options {
  json?: boolean
  downgrade?: boolean
  distributed?: boolean
  monthly?: boolean
  shards: number
  dryRun?: boolean
  undo?: boolean
}

/** Enough for 64 nodes, and few enough that each shard's indexes are large. */
const SHARDS = 64

export const migrateCommand = createCommand(
  'migrate',
  descriptions.migrate,
  'migrate',
  'migrate --dry-run',
  'migrate --distributed --dry-run',
  'migrate --monthly',
)
  .option('--downgrade', 'also restore SQL functions that a newer version has replaced')
  .option('--distributed', 'distribute the tables that grow with the devices over the nodes of Citus')
  .option('--shards <number>', 'how many parts each of them gets', shardCount, SHARDS)
  .option(
    '--monthly',
    'let the large indexes of treatments begin with the month, for tens of millions of them',
  )
  .option(
    '--dry-run',
    'only say what would be applied; with --distributed or --monthly: whether it could be done',
  )
  .option('--undo', 'with --distributed or --monthly: bring the tables, or the indexes, back')
  .action(async (options: Options) => {
    if (!options.distributed && !options.monthly && options.undo)
      throw new CommandError('--undo needs --distributed or --monthly')
    if (options.distributed && options.monthly)
      throw new CommandError('A database is either distributed or has indexes that begin with the month')
    const { config, database, close } = await openDatabaseForCommand()
    const progress = startSteps()
    const watching = { warn: progress.say, report: progress.show }
    try {
      if (options.dryRun && !options.distributed && !options.monthly) {
        const pending = await database.pendingChanges()
        printResult({ pending }, options, listed('Pending', pending))
        return
      }
      const applied = options.dryRun
        ? []
        : await database
            .migrate({ ...watching, ...(options.downgrade && { downgrade: true }) })
            .finally(() => progress.end())
      await prepareDatabase({ config, database })
      for (const each of await canonicalizePhones(database)) progress.say(describeSharedNumber(each))
      if (options.distributed) {
        await distribute(database, config, options, watching).finally(() => progress.end())
        return
      }
      if (options.monthly) {
        await leadByMonth(database, options, watching).finally(() => progress.end())
        return
      }
      printResult({ applied }, options, listed('Applied', applied))
    } finally {
      await close()
    }
  })

const listed = (what: string, names: readonly string[]) =>
  names.length > 0 ? `${what}: ${names.join(', ')}` : 'The schema is up to date'

interface Watching {
  warn: (line: string) => void
  report: (unit: string, done: number, share: number) => void
}

async function leadByMonth(
  { months }: Database,
  { undo = false, dryRun = false, json = false }: Options,
  watching: Watching,
): Promise<void> {
  const before = await months.inspect()
  const issues =
    before.form === 'distributed'
      ? ['the tables are distributed: run `companion migrate --distributed --undo` first']
      : []
  if (!dryRun && issues.length > 0) throw new CommandError(`Not changed: ${issues.join('; ')}`)
  if (!dryRun && undo) await months.undo(watching)
  else if (!dryRun) await months.lead(watching)
  const { form, indexes } = dryRun ? before : await months.inspect()
  const begin = form === 'monthly' ? 'month' : 'device or child'
  const lines = [
    ...issues.map((issue) => `Cannot be changed: ${issue}`),
    table(
      ['index', 'begins with', 'bytes'],
      indexes.map(({ name, bytes }) => [name, begin, bytes]),
      '',
    ),
    ...(dryRun && issues.length === 0 ? ['It can be changed.'] : []),
  ]
  printResult({ issues, form, indexes }, { json }, lines.join('\n\n'))
  if (dryRun && issues.length > 0) process.exitCode = 1
}

async function distribute(
  database: Database,
  { databaseReplicas }: Config,
  { undo = false, dryRun = false, shards, json = false }: Options,
  watching: Watching,
): Promise<void> {
  const inspection = await inspectNodes(database.pool)
  const issues = [...inspection.issues]
  if ((await database.months.inspect()).form === 'monthly') issues.push(MONTHLY_INDEXES_ERROR)
  if (databaseReplicas.length > 0) issues.push(NO_REPLICAS)
  if (!dryRun && issues.length > 0 && !undo) throw new CommandError(`Not distributed: ${issues.join('; ')}`)
  if (!dryRun && undo) await database.distribution.undo(watching)
  else if (!dryRun) {
    await database.distribution.prepare(watching)
    await database.distribution.distribute({ shards, ...watching })
  }
  const tables = await listDistributedTables(database.pool)
  const { nodes } = inspection
  const lines = [
    ...issues.map((issue) => `Cannot be distributed: ${issue}`),
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
    ...(dryRun && issues.length === 0 ? ['It can be distributed.'] : []),
  ]
  printResult({ issues, nodes, tables }, { json }, lines.join('\n\n'))
  if (dryRun && issues.length > 0) process.exitCode = 1
}

function shardCount(text: string): number {
  const shards = Number(text)
  if (!Number.isInteger(shards) || shards < 1 || shards > 4096)
    throw new InvalidArgumentError('must be a whole number from 1 to 4096')
  return shards
}
