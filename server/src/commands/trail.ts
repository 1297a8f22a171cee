import { once } from 'node:events'
import { Command } from 'commander'
import { exportTrail } from '../trail/export-trail.ts'
import { noteShown, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { wholeNumber, withDatabase } from './program.ts'

const exportOne = operatorCommand(
  'export',
  'write who has reached the data of a child, as CSV, the oldest first',
  'trail export --child 17 > trail.csv',
)
  .requiredOption('--child <id>', 'id of the child, even of a deleted one', wholeNumber)
  .action(async ({ child, ...options }: OperatorOptions & { child: number }) => {
    await withDatabase(async ({ database }) => {
      await noteShown(database, operatorOf(options), 'companion trail export', { realUserIds: [child] })
      for await (const lines of exportTrail(database, child)) {
        if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
      }
    })
  })

export const trailCommand = new Command('trail')
  .description("read and verify the trail of who has reached children's data")
  .addCommand(exportOne)
