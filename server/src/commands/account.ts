import { Command } from 'commander'
import { blockAccount, unblockAccount } from '../auth/block.ts'
import { command, CommandError, print, withDatabase } from './program.ts'

const block = command('block', 'keep an account out and end its session')
  .argument('<email>')
  .action(async (email: string, options: { json?: boolean }) => {
    const account = await withDatabase(({ database }) =>
      database.transaction((sql) => blockAccount(sql, email)),
    )
    if (!account) throw new CommandError('There is no account with this e-mail')
    print({ root_user_id: account.id, blocked: true }, options, `Account ${account.id} is blocked`)
  })

const unblock = command('unblock', 'let a blocked account in again')
  .argument('<email>')
  .action(async (email: string, options: { json?: boolean }) => {
    const account = await withDatabase(({ database }) =>
      database.transaction((sql) => unblockAccount(sql, email)),
    )
    if (!account) throw new CommandError('There is no account with this e-mail')
    print({ root_user_id: account.id, blocked: false }, options, `Account ${account.id} is not blocked`)
  })

export const accountCommand = new Command('account')
  .description('accounts')
  .addCommand(block)
  .addCommand(unblock)
