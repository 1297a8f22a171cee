import { Command } from 'commander'
import { registerDevices, registration } from '../devices/register.ts'
import { command, CommandError, print, withDatabase } from './program.ts'
import { importDevices } from './import-devices.ts'

const add = command('add', 'register a device')
  .requiredOption('--serial-code <code>', 'printed on the device: 6 to 32 of A-Z 0-9 -')
  .requiredOption('--mac-id <id>', 'the last 4 characters of its MAC address, upper case')
  .requiredOption('--unique-id <uuid>', 'the id it sends with its logs')
  .option('--firmware-id <id>', 'its firmware', '1')
  .action(
    async (
      options: Record<'serialCode' | 'macId' | 'uniqueId' | 'firmwareId', string> & { json?: boolean },
    ) => {
      const parsed = registration.safeParse({
        serial_code: options.serialCode,
        mac_id: options.macId,
        unique_id: options.uniqueId,
        firmware_id: Number(options.firmwareId),
      })
      if (!parsed.success) {
        throw new CommandError(
          parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'),
        )
      }
      const [registered] = await withDatabase(({ database }) => registerDevices(database.sql, [parsed.data]))
      if (registered?.device_id === undefined) {
        throw new CommandError('Another device has this serial code or unique id; nothing was changed')
      }
      const { outcome, device_id } = registered
      print(
        { device_id, ...parsed.data, outcome },
        options,
        `Device ${device_id} (${parsed.data.serial_code}) ${outcome === 'added' ? 'registered' : 'was registered before'}`,
      )
    },
  )

const importFile = command('import', 'register the devices of a CSV file; safe to repeat')
  .argument('<file>', 'columns serial_code,mac_id,unique_id and optionally firmware_id')
  .action(async (file: string, options: { json?: boolean }) => {
    const { bad_lines, ...counts } = await withDatabase(({ database }) =>
      importDevices(database, file, (line) => process.stderr.write(`${line}\n`)),
    )
    print(
      { ...counts, bad_lines },
      options,
      `${counts.added} registered, ${counts.existing} were registered before, ${bad_lines.length} lines refused`,
    )
    if (bad_lines.length > 0) process.exitCode = 1
  })

export const deviceCommand = new Command('device')
  .description('devices')
  .addCommand(add)
  .addCommand(importFile)
