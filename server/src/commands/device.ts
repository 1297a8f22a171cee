import { Command, InvalidArgumentError, Option } from 'commander'
import { issueText } from '../config/issue-text.ts'
import { contactLossGroupings, listContactLosses } from '../devlogs/contact-losses.ts'
import type { ContactLossGrouping } from '../devlogs/contact-losses.ts'
import { makeDeviceKey } from '../devices/device-key.ts'
import { listInventory, showDevice, disconnectDevice } from '../devices/inventory.ts'
import { addDevicesToInventory, deviceRegistrationInput } from '../devices/register.ts'
import type { Registration } from '../devices/register.ts'
import { descriptions } from './descriptions.ts'
import { importCommand, registerItem } from './import-registrations.ts'
import type { RegistrationKind } from './import-registrations.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { createCommand, CommandError, printResult, parseRowLimit, withDatabase } from './program.ts'
import { fieldLines, table } from './table.ts'

const registry: RegistrationKind<Registration> = {
  columns: ['serial_code', 'mac_id', 'unique_id'],
  read: ({ firmware_id, hardware, ...codes }) =>
    deviceRegistrationInput.safeParse(
      {
        ...codes,
        ...(firmware_id ? { firmware_id: Number(firmware_id) } : {}),
        ...(hardware ? { hardware } : {}),
      },
      { error: issueText },
    ),
  register: addDevicesToInventory,
}

const add = createCommand(
  'add',
  'register a device',
  'device add --serial-code BENCH-0001 --mac-id A1B2 --unique-id 3f2b8c9e-1111-4222-8333-123456789abc',
)
  .requiredOption('--serial-code <code>', 'printed on the device: 6 to 32 of A-Z 0-9 -')
  .requiredOption('--mac-id <id>', 'the last 4 characters of the MAC address, upper case')
  .requiredOption('--unique-id <uuid>', 'the id that the device sends with its logs')
  .option('--firmware-id <id>', 'the firmware it runs', '1')
  .option('--hardware <name>', 'the kind of hardware, for which firmware is made', 'unknown')
  .option('--ddi', 'make a key by which it asks for firmware as a client of hawkBit; a former key ends')
  .action(
    async (
      options: Record<'serialCode' | 'macId' | 'uniqueId' | 'firmwareId' | 'hardware', string> & {
        ddi?: boolean
        json?: boolean
      },
    ) => {
      let key: string | undefined
      const { item, id, outcome } = await registerItem(
        registry,
        {
          serial_code: options.serialCode,
          mac_id: options.macId,
          unique_id: options.uniqueId,
          firmware_id: options.firmwareId,
          hardware: options.hardware,
        },
        async (sql, deviceId) => {
          if (options.ddi) key = await makeDeviceKey(sql, deviceId)
        },
      )
      const registered = `Device ${id} (${item.serial_code}) ${outcome === 'added' ? 'registered' : 'was already registered'}`
      printResult(
        { device_id: id, ...item, outcome, ...(key === undefined ? {} : { ddi_key: key }) },
        options,
        key === undefined ? registered : `${registered}\nIts key, which is shown once: ${key}`,
      )
    },
  )

const list = operatorCommand(
  'list',
  'list the registered devices, newest first',
  'device list --state free --limit 20',
)
  .addOption(new Option('--state <state>', 'only devices in this state').choices(['connected', 'free']))
  .option('--limit <rows>', 'maximum number of rows', parseRowLimit, 100)
  .action(async ({ state, limit, ...options }: ListOptions) => {
    const devices = await withDatabase(async ({ database }) => {
      const found = await listInventory(database.sql, { state, limit })
      const realUserIds = found.map(({ real_user_id }) => real_user_id)
      await recordOperatorDisclosure(database, operatorOf(options), 'companion device list', { realUserIds })
      return found
    })
    const rows = devices.map((each) => [
      each.device_id,
      each.serial_code,
      each.unique_id,
      each.real_user_id,
      each.root_user_id,
    ])
    printResult(
      devices,
      { ...options, limit },
      table(['device', 'serial code', 'unique id', 'child', 'account'], rows, 'No device is listed'),
    )
  })

interface ListOptions extends OperatorOptions {
  state?: 'connected' | 'free'
  limit: number
}

const show = operatorCommand('show', 'show one device and how much it has recorded', 'device show BENCH-0001')
  .argument('<serial-code>')
  .action(async (serialCode: string, options: OperatorOptions) => {
    const device = await withDatabase(async ({ database }) => {
      const found = await showDevice(database.sql, serialCode)
      // One that nobody wears shows nothing of a person.
      if (found?.real_user_id) {
        const realUserIds = [found.real_user_id]
        await recordOperatorDisclosure(database, operatorOf(options), 'companion device show', {
          realUserIds,
        })
      }
      return found
    })
    if (!device) throw new CommandError('There is no device with this serial code')
    printResult(device, options, fieldLines(device))
  })

const disconnect = operatorCommand(
  'disconnect',
  'disconnect a device from its child, who keeps the history',
  'device disconnect BENCH-0001 --dry-run',
)
  .argument('<serial-code>')
  .option('--dry-run', 'show what would happen without changing anything')
  .action(
    async (serialCode: string, { dryRun = false, ...options }: OperatorOptions & { dryRun?: boolean }) => {
      const operator = operatorOf(options)
      const device = await withDatabase(({ database }) =>
        database.transaction((sql) =>
          disconnectDevice(sql, database.keyRing, serialCode, { dryRun, operator }),
        ),
      )
      if (!device) throw new CommandError('There is no device with this serial code')
      if (device.real_user_id === null)
        throw new CommandError('Nobody wears this device; nothing was changed')
      const { device_id, serial_code, real_user_id, root_user_id } = device
      printResult(
        { device_id, serial_code, real_user_id, root_user_id, disconnected: !dryRun },
        options,
        `Device ${device_id} ${dryRun ? 'would be' : 'is'} disconnected from child ${real_user_id} of account ${root_user_id}`,
      )
    },
  )

const contactLosses = createCommand(
  'compare-contact-losses',
  'compare how often the electrodes lose contact',
  'device compare-contact-losses --by firmware --days 7',
)
  .addOption(
    new Option('--by <what>', 'lot: the serial code without its last 3 characters; firmware: the present one')
      .choices(contactLossGroupings)
      .makeOptionMandatory(),
  )
  .option('--days <days>', 'how far back', dayCount, 30)
  .action(async ({ by, days, ...options }: { by: ContactLossGrouping; days: number; json?: boolean }) => {
    const found = await withDatabase(({ database }) => listContactLosses(database.sql, by, days))
    const rows = found.map((each) => [
      each[by],
      `${((100 * each.losses) / each.records).toFixed(1)} %`,
      `${each.losses} of ${each.records}`,
      `${each.devices_with_losses} of ${each.devices}`,
    ])
    const headers = [by, 'share', 'records with loss', 'devices with loss']
    printResult(found, options, table(headers, rows, 'No device has sent a record of these days'))
  })

function dayCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('must be a number from 1 to 9999')
  return Number(text)
}

export const deviceCommand = new Command('device')
  .description(descriptions.device)
  .addCommand(add)
  .addCommand(
    importCommand('devices', registry, 'device import devices.csv', ' and optionally firmware_id, hardware'),
  )
  .addCommand(list)
  .addCommand(show)
  .addCommand(contactLosses)
  .addCommand(disconnect)
