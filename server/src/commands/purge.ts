import { eraseInactive, countInactiveAccounts } from '../account/inactive-accounts.ts'
import { deriveKeys } from '../auth/keys.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { createSenders } from '../delivery/configured.ts'
import { planPurge, purge } from '../retention/purge.ts'
import { pastMembershipsToEnd } from '../shares/past-memberships.ts'
import { purgedTrailMonths } from '../trail/purge-trail.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'
import type { CommandContext } from './program.ts'
import { startProgress } from './progress.ts'
import { table } from './table.ts'

export const purgeCommand = createCommand('purge', descriptions.purge, 'purge', 'purge --dry-run')
  .option('--dry-run', 'only say what would go, and why')
  .action((options: { json?: boolean; dryRun?: boolean }) => (options.dryRun ? plan(options) : run(options)))

async function plan(options: { json?: boolean }): Promise<void> {
  const planned = await withDatabase(async ({ config, database }) => [
    ...(await planPurge(database, config)),
    ...(await countInactiveAccounts(database, config.retention.inactive_accounts)),
  ])
  printResult(
    planned,
    options,
    table(
      ['rows', 'kind', 'oldest', 'why'],
      planned.map(({ kind, rows, oldest, why }) => [rows, kind.replaceAll('_', ' '), oldest, why]),
      '',
    ),
  )
}

async function run(options: { json?: boolean }): Promise<void> {
  const progress = startProgress('rows')
  const purged = await withDatabase((around) => purgeAll(around, progress)).finally(() => progress.end())
  if (!purged) throw new CommandError('Another process is already purging')
  printResult(
    purged,
    options,
    table(
      ['rows', 'kind'],
      Object.entries(purged).map(([kind, rows]) => [rows, kind.replaceAll('_', ' ')]),
      '',
    ),
  )
}

async function purgeAll({ config, database }: CommandContext, { show }: ReturnType<typeof startProgress>) {
  const keys = deriveKeys(await readTokenSecret(config), config)
  const more = { ...purgedTrailMonths(keys, config), ...pastMembershipsToEnd(config) }
  const purged = await purge(database, config, { report: show, more })
  if (!purged) return undefined
  return {
    ...purged,
    ...(await eraseInactive(database, {
      keys,
      months: config.retention.inactive_accounts,
      mail: createSenders(config).mail,
      warn: (error) =>
        process.stderr.write(`The notice of an erased account was not sent: ${String(error)}\n`),
    })),
  }
}
