import { readSecurityRecord } from '../auth/read-security-record.ts'
import type { SecurityRecordRow } from '../auth/read-security-record.ts'
import { listAccounts } from '../account/list-accounts.ts'
import { descriptions } from './descriptions.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { CommandError, parseTimestamp, printResult, parseRowLimit, parseId, withDatabase } from './program.ts'
import { table } from './table.ts'

interface Options extends OperatorOptions {
  email?: string
  account?: number
  action?: string
  since?: Date
  limit: number
}

export const securityLogCommand = operatorCommand(
  'security-log',
  descriptions['security-log'],
  'security-log --email parent@example.com --since 2026-03-01',
  'security-log --action sign_in_refused --limit 20 --json',
)
  .option('--email <email>', 'only entries of this account')
  .option('--account <id>', 'only entries of this account, even a deleted one', parseId)
  .option('--action <action>', 'only this action, such as sign_in or sign_in_refused')
  .option('--since <time>', 'only entries from this time on, ISO 8601', parseTimestamp)
  .option(
    '--limit <rows>',
    'only the newest entries, at most so many; they are printed oldest first',
    parseRowLimit,
    100,
  )
  .action(async ({ email, account, action, since, limit, ...options }: Options) => {
    const rows = await withDatabase(async ({ database }) => {
      const [named] = email === undefined ? [] : await listAccounts(database, { name: email, limit: 1 })
      if (email !== undefined && !named) throw new CommandError('There is no account with this e-mail')
      const rootUserId = named?.root_user_id ?? account
      const rows = await readSecurityRecord(database, { rootUserId, action, since, limit })
      await recordOperatorDisclosure(database, operatorOf(options), 'companion security-log', { rootUserId })
      return rows
    })
    printResult(rows, { ...options, limit }, recordTable(rows))
  })

const recordTable = (rows: readonly SecurityRecordRow[]) =>
  table(
    ['when', 'account', 'action', 'reason', 'address', 'request', 'times', 'operator'],
    rows.map((each) => [
      each.recorded_at,
      each.root_user_id,
      each.action,
      each.reason,
      each.address,
      each.request_id,
      each.times,
      each.operator,
    ]),
    'Nothing is on record',
  )
