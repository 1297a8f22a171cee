import { Command, InvalidArgumentError } from 'commander'
import { id } from '../http/fields.ts'
import { transferChild } from '../children/transfer-child.ts'
import { command, CommandError, print, withDatabase } from './program.ts'

function childId(text: string): number {
  const parsed = id.safeParse(Number(text))
  if (!parsed.success) throw new InvalidArgumentError('must be the id of a child')
  return parsed.data
}

const transfer = command('transfer', 'hand a child, with devices and history, to another account')
  .argument('<real-user-id>', 'the child', childId)
  .argument('<email>', 'the account that receives it')
  .option('--dry-run', 'say what would happen, and change nothing')
  .action(
    async (
      realUserId: number,
      email: string,
      { dryRun = false, ...options }: { dryRun?: boolean; json?: boolean },
    ) => {
      const result = await withDatabase(({ database }) =>
        database.transaction((sql) => transferChild(sql, realUserId, email, { dryRun })),
      )
      if (typeof result === 'string') throw new CommandError(`${result}; nothing was changed`)
      const { from_root_user_id: from, to_root_user_id: to, devices } = result
      print(
        { ...result, transferred: !dryRun },
        options,
        `Child ${realUserId} with ${devices} devices ${dryRun ? 'would go' : 'went'} from account ${from} to ${to}`,
      )
    },
  )

export const childCommand = new Command('child').description('children').addCommand(transfer)
