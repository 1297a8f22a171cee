import { Command } from 'commander'
import { listVersions, restoreVersion } from '../calendar/event-versions.ts'
import { isCalendarDate } from '../time/wall-clock.ts'
import { descriptions } from './descriptions.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { CommandError, printResult, withDatabase } from './program.ts'
import { table } from './table.ts'

function parseDay(text: string): string {
  if (!isCalendarDate(text)) throw new CommandError('--date must be a day as yyyy-mm-dd')
  return text
}

function parseWhole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CommandError(`"${text}" is not a whole number from 1`)
  return Number(text)
}

interface Day extends OperatorOptions {
  realUserId: number
  date: string
}

const ofDay = (name: string, description: string, example: string) =>
  operatorCommand(name, description, example)
    .requiredOption('--real-user-id <id>', 'id of the child', parseWhole)
    .requiredOption('--date <date>', 'the day, yyyy-mm-dd', parseDay)

const versions = ofDay(
  'versions',
  'list the versions of the note of a day',
  'event versions --real-user-id 17 --date 2026-03-01',
).action(async ({ realUserId, date, ...options }: Day) => {
  const found = await withDatabase(async ({ database }) => {
    const shown = { realUserIds: [realUserId] }
    await recordOperatorDisclosure(database, operatorOf(options), 'companion event versions', shown)
    return listVersions(database, realUserId, date)
  })
  const rows = found.map(({ version, saved_at, saved_by, memo, event_data }) => [
    version,
    saved_at,
    saved_by ? `account ${saved_by}` : '-',
    JSON.stringify(memo),
    JSON.stringify(event_data),
  ])
  const headers = ['version', 'saved', 'by', 'memo', 'event data']
  printResult(found, options, table(headers, rows, 'There is no note on this day'))
})

const restore = ofDay(
  'restore',
  'restore an earlier version of the note of a day',
  'event restore --real-user-id 17 --date 2026-03-01 --to-version 2',
)
  .requiredOption('--to-version <number>', 'its number in `event versions`', parseWhole)
  .action(async ({ realUserId, date, toVersion, ...options }: Day & { toVersion: number }) => {
    const isRestored = await withDatabase(({ database }) =>
      database.transaction((sql) =>
        restoreVersion(sql, database.keyRing, realUserId, date, toVersion, operatorOf(options)),
      ),
    )
    if (!isRestored) throw new CommandError('There is no such earlier version; nothing was changed')
    printResult({ restored: toVersion }, options, `The note has the content of version ${toVersion} again`)
  })

export const eventCommand = new Command('event')
  .description(descriptions.event)
  .addCommand(versions)
  .addCommand(restore)
