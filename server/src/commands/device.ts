import { Command, InvalidArgumentError, Option } from 'commander'
import { groupings, listContactFaults } from '../devlogs/contact-faults.ts'
import type { Grouping } from '../devlogs/contact-faults.ts'
import { listInventory, showDevice, takeDevice } from '../devices/inventory.ts'
import { registerDevices, registration } from '../devices/register.ts'
import type { Registration } from '../devices/register.ts'
import { importCommand, registerOne } from './import-registrations.ts'
import type { Registry } from './import-registrations.ts'
import { command, CommandError, print, rowLimit, withDatabase } from './program.ts'

const registry: Registry<Registration> = {
  columns: ['serial_code', 'mac_id', 'unique_id'],
  read: ({ firmware_id, ...codes }) =>
    registration.safeParse({ ...codes, ...(firmware_id ? { firmware_id: Number(firmware_id) } : {}) }),
  register: registerDevices,
}

const add = command('add', 'register a device')
  .requiredOption('--serial-code <code>', 'printed on the device: 6 to 32 of A-Z 0-9 -')
  .requiredOption('--mac-id <id>', 'the last 4 characters of the MAC address, upper case')
  .requiredOption('--unique-id <uuid>', 'the id that the device sends with its logs')
  .option('--firmware-id <id>', 'the firmware it runs', '1')
  .action(
    async (
      options: Record<'serialCode' | 'macId' | 'uniqueId' | 'firmwareId', string> & { json?: boolean },
    ) => {
      const { item, id, outcome } = await registerOne(registry, {
        serial_code: options.serialCode,
        mac_id: options.macId,
        unique_id: options.uniqueId,
        firmware_id: options.firmwareId,
      })
      print(
        { device_id: id, ...item, outcome },
        options,
        `Device ${id} (${item.serial_code}) ${outcome === 'added' ? 'registered' : 'was already registered'}`,
      )
    },
  )

const list = command('list', 'list the registered devices, newest first')
  .addOption(new Option('--state <state>', 'only devices in this state').choices(['connected', 'free']))
  .option('--limit <rows>', 'maximum number of rows', rowLimit, 100)
  .action(async ({ state, limit, ...options }: ListOptions) => {
    const devices = await withDatabase(({ database }) => listInventory(database.sql, { state, limit }))
    const lines = devices.map(({ device_id, serial_code, unique_id, ...device }) =>
      [device_id, serial_code, unique_id, wearer(device)].join('  '),
    )
    print(devices, options, lines.join('\n'))
  })

interface ListOptions {
  state?: 'connected' | 'free'
  limit: number
  json?: boolean
}

const wearer = ({ real_user_id, root_user_id }: Record<'real_user_id' | 'root_user_id', number | null>) =>
  real_user_id === null ? 'free' : `child ${real_user_id} of account ${root_user_id}`

const show = command('show', 'show one device and how much it has recorded')
  .argument('<serial-code>')
  .action(async (serialCode: string, options: { json?: boolean }) => {
    const device = await withDatabase(({ database }) => showDevice(database.sql, serialCode))
    if (!device) throw new CommandError('There is no device with this serial code')
    const lines = Object.entries(device).map(
      ([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : (value ?? '-')}`,
    )
    print(device, options, lines.join('\n'))
  })

const disconnect = command('disconnect', 'disconnect a device from its child, who keeps the history')
  .argument('<serial-code>')
  .option('--dry-run', 'show what would happen without changing anything')
  .action(
    async (serialCode: string, { dryRun = false, ...options }: { dryRun?: boolean; json?: boolean }) => {
      const device = await withDatabase(({ database }) =>
        database.transaction((sql) => takeDevice(sql, serialCode, { dryRun })),
      )
      if (!device) throw new CommandError('There is no device with this serial code')
      if (device.real_user_id === null)
        throw new CommandError('Nobody wears this device; nothing was changed')
      const { device_id, serial_code, real_user_id, root_user_id } = device
      print(
        { device_id, serial_code, real_user_id, root_user_id, disconnected: !dryRun },
        options,
        `Device ${device_id} ${dryRun ? 'would be' : 'is'} disconnected from ${wearer(device)}`,
      )
    },
  )

const faults = command('faults', 'compare how often the electrodes lose contact')
  .addOption(
    new Option('--by <what>', 'lot: the serial code without its last 3 characters; firmware: the present one')
      .choices(groupings)
      .makeOptionMandatory(),
  )
  .option('--days <days>', 'how far back', dayCount, 30)
  .action(async ({ by, days, ...options }: { by: Grouping; days: number; json?: boolean }) => {
    const found = await withDatabase(({ database }) => listContactFaults(database.sql, by, days))
    const lines = found.map((each) =>
      [
        each[by],
        `${((100 * each.faults) / each.records).toFixed(1)} %`,
        `${each.faults} of ${each.records} records`,
        `${each.devices_with_faults} of ${each.devices} devices`,
      ].join('  '),
    )
    print(found, options, lines.length > 0 ? lines.join('\n') : 'No device has sent a record of these days')
  })

function dayCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 9999')
  return Number(text)
}

export const deviceCommand = new Command('device')
  .description('manage devices')
  .addCommand(add)
  .addCommand(importCommand('devices', registry, ' and optionally firmware_id'))
  .addCommand(list)
  .addCommand(show)
  .addCommand(faults)
  .addCommand(disconnect)
