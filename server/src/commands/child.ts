import { Command, InvalidArgumentError } from 'commander'
import { id } from '../http/fields.ts'
import { transferChild } from '../children/transfer-child.ts'
import { command, CommandError, print, withDatabase } from './program.ts'

function childId(text: string): number {
  const parsed = id.safeParse(Number(text))
  if (!parsed.success) throw new InvalidArgumentError('must be the id of a child')
  return parsed.data
}

const transfer = command('transfer', 'transfer a child with its devices and history to another account')
  .argument('<real-user-id>', 'id of the child', childId)
  .argument('<email>', 'e-mail of the account that receives the child')
  .option('--dry-run', 'show what would happen without changing anything')
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
      const { from_root_user_id: from, to_root_user_id: to, devices, ended_shares } = result
      print(
        { ...result, transferred: !dryRun },
        options,
        `Child ${realUserId} with ${devices} devices ${dryRun ? 'would go' : 'went'} from account ${from} to ${to}; ${ended_shares} others ${dryRun ? 'would see' : 'see'} it no more`,
      )
    },
  )

export const childCommand = new Command('child').description('manage children').addCommand(transfer)
