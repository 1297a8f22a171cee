import { Command } from 'commander'
import { listInventory } from '../basestations/inventory.ts'
import { basestationRegistration, registerBasestations } from '../basestations/register.ts'
import type { BasestationRegistration } from '../basestations/register.ts'
import { importCommand, registerOne } from './import-registrations.ts'
import type { Registry } from './import-registrations.ts'
import { command, print, rowLimit, withDatabase } from './program.ts'

const registry: Registry<BasestationRegistration> = {
  columns: ['serial_code', 'unique_id'],
  read: (record) => basestationRegistration.safeParse(record),
  register: registerBasestations,
}

const add = command('add', 'register a base station')
  .requiredOption('--serial-code <code>', 'printed on the base station: 6 to 32 of A-Z 0-9 -')
  .requiredOption('--unique-id <uuid>', 'the id that the base station sends with its readings')
  .action(async (options: Record<'serialCode' | 'uniqueId', string> & { json?: boolean }) => {
    const { item, id, outcome } = await registerOne(registry, {
      serial_code: options.serialCode,
      unique_id: options.uniqueId,
    })
    print(
      { basestation_id: id, ...item, outcome },
      options,
      `Base station ${id} (${item.serial_code}) ${outcome === 'added' ? 'registered' : 'was already registered'}`,
    )
  })

const list = command('list', 'list the registered base stations, newest first')
  .option('--limit <rows>', 'maximum number of rows', rowLimit, 100)
  .action(async ({ limit, ...options }: { limit: number; json?: boolean }) => {
    const basestations = await withDatabase(({ database }) => listInventory(database.fork(), { limit }))
    const lines = basestations.map(({ basestation_id, serial_code, unique_id, root_user_id }) =>
      [
        basestation_id,
        serial_code,
        unique_id,
        root_user_id === null ? 'free' : `account ${root_user_id}`,
      ].join('  '),
    )
    print(basestations, options, lines.join('\n'))
  })

export const basestationCommand = new Command('basestation')
  .description('manage base stations')
  .addCommand(add)
  .addCommand(importCommand('base stations', registry))
  .addCommand(list)
