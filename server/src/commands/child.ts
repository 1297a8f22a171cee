import { Command, InvalidArgumentError } from 'commander'
import { idField } from '../http/fields.ts'
import { transferChild } from '../children/transfer-child.ts'
import { descriptions } from './descriptions.ts'
import { twoOperatorCommand, requireApprovedOperator } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { CommandError, printResult, withDatabase } from './program.ts'
import { today } from '../time/wall-clock.ts'
import { formatCount } from './table.ts'

function childId(text: string): number {
  const parsed = idField.safeParse(Number(text))
  if (!parsed.success) throw new InvalidArgumentError('must be the id of a child')
  return parsed.data
}

const transfer = twoOperatorCommand(
  'transfer',
  'transfer a child with its devices and history to another account',
  'child transfer 17 parent@example.com --dry-run',
)
  .argument('<real-user-id>', 'id of the child', childId)
  .argument('<account>', 'e-mail address or id of the account that receives the child')
  .option('--dry-run', 'show what would happen without changing anything')
  .action(
    async (
      realUserId: number,
      receiver: string,
      { dryRun = false, ...options }: OperatorOptions & { dryRun?: boolean },
    ) => {
      const result = await withDatabase(({ config, database }) => {
        const operator = requireApprovedOperator(config, options)
        return database.transaction((sql) =>
          transferChild(sql, database.keyRing, realUserId, receiver, {
            dryRun,
            operator,
            date: today(config.timeZone),
          }),
        )
      })
      if (typeof result === 'string') throw new CommandError(`${result}; nothing was changed`)
      const { from_root_user_id: from, to_root_user_id: to, devices, ended_shares } = result
      printResult(
        { ...result, transferred: !dryRun },
        options,
        `Child ${realUserId} with ${formatCount(devices, 'device')} ${dryRun ? 'would go' : 'went'} from account ${from} to ${to}; ${formatCount(ended_shares, 'member')} ${dryRun ? 'would lose' : 'lost'} access`,
      )
    },
  )

export const childCommand = new Command('child').description(descriptions.child).addCommand(transfer)
