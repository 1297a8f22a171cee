import { Command, Option } from 'commander'
import { blockAccount, unblockAccount } from '../auth/block.ts'
import { exportFamily } from '../account/export-family.ts'
import { accountStates, listAccounts } from '../account/list-accounts.ts'
import type { AccountStateName, ListedAccount } from '../account/list-accounts.ts'
import { importAccounts } from './import-accounts.ts'
import { command, CommandError, print, rowLimit, withDatabase } from './program.ts'

const block = command('block', 'block an account and end its session')
  .argument('<email>')
  .action(async (email: string, options: { json?: boolean }) => {
    const account = await withDatabase(({ database }) =>
      database.transaction((sql) => blockAccount(sql, email)),
    )
    if (!account) throw new CommandError('There is no account with this e-mail')
    print({ root_user_id: account.id, blocked: true }, options, `Account ${account.id} is blocked`)
  })

const unblock = command('unblock', 'unblock an account')
  .argument('<email>')
  .action(async (email: string, options: { json?: boolean }) => {
    const account = await withDatabase(({ database }) =>
      database.transaction((sql) => unblockAccount(sql, email)),
    )
    if (!account) throw new CommandError('There is no account with this e-mail')
    print({ root_user_id: account.id, blocked: false }, options, `Account ${account.id} is not blocked`)
  })

const list = command('list', 'list the accounts, newest first')
  .addOption(new Option('--state <state>', 'only accounts in this state').choices(accountStates))
  .option('--limit <rows>', 'maximum number of rows', rowLimit, 100)
  .action(async ({ state, limit, ...options }: ListOptions) => {
    const accounts = await withDatabase(({ database }) =>
      listAccounts(database.sql, { limit, ...(state ? { state } : {}) }),
    )
    print(accounts, options, accounts.map(accountLine).join('\n'))
  })

interface ListOptions {
  state?: AccountStateName
  limit: number
  json?: boolean
}

const accountLine = ({ root_user_id, email, state, children, created_at }: ListedAccount) =>
  [root_user_id, email ?? '-', state, `${children} children`, created_at.toISOString()].join('  ')

const show = command('show', 'show one account')
  .argument('<email>')
  .action(async (email: string, options: { json?: boolean }) => {
    const [account] = await withDatabase(({ database }) => listAccounts(database.sql, { email, limit: 1 }))
    if (!account) throw new CommandError('There is no account with this e-mail')
    const lines = Object.entries(account).map(
      ([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : (value ?? '-')}`,
    )
    print(account, options, lines.join('\n'))
  })

const importFile = command('import', 'add the accounts of another system from a CSV file; safe to repeat')
  .argument(
    '<file>',
    'columns email and optionally phone,first_name,last_name,birthdate,gender,national_code',
  )
  .action(async (file: string, options: { json?: boolean }) => {
    const { bad_lines, ...counts } = await withDatabase((around) =>
      importAccounts(around, file, (line) => process.stderr.write(`${line}\n`)),
    )
    print(
      { ...counts, bad_lines },
      options,
      `${counts.added} added, ${counts.existing} already existed, ${bad_lines.length} lines refused`,
    )
    if (bad_lines.length > 0) process.exitCode = 1
  })

const exportOne = command('export', 'write all data kept about a family as JSON')
  .argument('<email>')
  .action(async (email: string) => {
    const family = await withDatabase(({ database }) => exportFamily(database, email))
    if (!family) throw new CommandError('There is no account with this e-mail')
    print(family, { json: true }, '')
  })

export const accountCommand = new Command('account')
  .description('manage accounts')
  .addCommand(block)
  .addCommand(unblock)
  .addCommand(list)
  .addCommand(show)
  .addCommand(importFile)
  .addCommand(exportOne)
