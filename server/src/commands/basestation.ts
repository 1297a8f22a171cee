import { Command } from 'commander'
import { listInventory } from '../basestations/inventory.ts'
import { basestationRegistrationInput, addBasestationsToInventory } from '../basestations/register.ts'
import type { BasestationRegistration } from '../basestations/register.ts'
import { issueText } from '../config/issue-text.ts'
import { descriptions } from './descriptions.ts'
import { importCommand, registerItem } from './import-registrations.ts'
import type { RegistrationKind } from './import-registrations.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { createCommand, printResult, parseRowLimit, withDatabase } from './program.ts'
import { table } from './table.ts'

const registry: RegistrationKind<BasestationRegistration> = {
  columns: ['serial_code', 'unique_id'],
  read: (record) => basestationRegistrationInput.safeParse(record, { error: issueText }),
  register: addBasestationsToInventory,
}

const add = createCommand(
  'add',
  'register a base station',
  'basestation add --serial-code BASE-0001 --unique-id 5f0c9c1e-2222-4333-8444-123456789abc',
)
  .requiredOption('--serial-code <code>', 'printed on the base station: 6 to 32 of A-Z 0-9 -')
  .requiredOption('--unique-id <uuid>', 'the id that the base station sends with its readings')
  .action(async (options: Record<'serialCode' | 'uniqueId', string> & { json?: boolean }) => {
    const { item, id, outcome } = await registerItem(registry, {
      serial_code: options.serialCode,
      unique_id: options.uniqueId,
    })
    printResult(
      { basestation_id: id, ...item, outcome },
      options,
      `Base station ${id} (${item.serial_code}) ${outcome === 'added' ? 'registered' : 'was already registered'}`,
    )
  })

const list = operatorCommand(
  'list',
  'list the registered base stations, newest first',
  'basestation list --limit 20',
)
  .option('--limit <rows>', 'maximum number of rows', parseRowLimit, 100)
  .action(async ({ limit, ...options }: OperatorOptions & { limit: number }) => {
    const basestations = await withDatabase(async ({ database }) => {
      await recordOperatorDisclosure(database, operatorOf(options), 'companion basestation list')
      return listInventory(database.fork(), { limit })
    })
    const rows = basestations.map((each) => [
      each.basestation_id,
      each.serial_code,
      each.unique_id,
      each.root_user_id,
    ])
    printResult(
      basestations,
      { ...options, limit },
      table(['base station', 'serial code', 'unique id', 'account'], rows, 'There is no base station'),
    )
  })

export const basestationCommand = new Command('basestation')
  .description(descriptions.basestation)
  .addCommand(add)
  .addCommand(importCommand('base stations', registry, 'basestation import basestations.csv'))
  .addCommand(list)
