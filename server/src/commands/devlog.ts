import { Command } from 'commander'
import { checkDevlogs } from '../devlogs/check-devlogs.ts'
import { listDeletions, restoreDevlogs } from '../devlogs/devlog-deletion.ts'
import { shiftDevlogs, unshiftDevlogs } from '../devlogs/devlog-shift.ts'
import type { UnmovedRecord } from '../devlogs/devlog-shift.ts'
import { dropRejected, listRejected, retryRejected } from '../devlogs/rejected-devlogs.ts'
import type { Database } from '../database/database.ts'
import { uniqueIdField } from '../http/fields.ts'
import { durationSeconds } from '../time/duration.ts'
import { isLocalDateTime } from '../time/wall-clock.ts'
import type { Operator } from '../trail/operator.ts'
import { descriptions } from './descriptions.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'
import { formatCount, fieldLines, table } from './table.ts'

function parseUniqueId(text: string): string {
  const parsed = uniqueIdField.safeParse(text)
  if (!parsed.success) throw new CommandError('--unique-id must be a uuid')
  return parsed.data
}

function parseId(text: string): bigint {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new CommandError('The id must be a whole number from 1')
  return BigInt(text)
}

const deletions = operatorCommand('deletions', 'list the journal of deleted usage logs', 'devlog deletions')
  .option('--unique-id <uuid>', 'only deletions of this device', parseUniqueId)
  .action(async ({ uniqueId: device, ...options }: OperatorOptions & { uniqueId?: string }) => {
    const journal = await withDatabase(async ({ database }) => {
      const found = await listDeletions(database, device)
      const realUserIds = found.map(({ real_user_id }) => real_user_id)
      await recordOperatorDisclosure(database, operatorOf(options), 'companion devlog deletions', {
        realUserIds,
      })
      return found
    })
    printResult(
      journal,
      options,
      table(
        ['deletion', 'device', 'when', 'records', 'address', 'restored', 'restored at'],
        journal.map((each) => [
          each.id,
          each.unique_id,
          each.deleted_at,
          each.deleted_count,
          each.address,
          each.restored_count,
          each.restored_at,
        ]),
        'No usage log has been deleted',
      ),
    )
  })

const restore = operatorCommand(
  'restore',
  'undo deletions of a device; records it has sent again since then stay unchanged',
  'devlog restore --unique-id 3f2b8c9e-1111-4222-8333-123456789abc --deletion 4',
)
  .requiredOption('--unique-id <uuid>', 'the device', parseUniqueId)
  .option('--deletion <id>', 'only this deletion, by its id in `devlog deletions`', parseId)
  .action(
    async ({
      uniqueId: device,
      deletion,
      ...options
    }: OperatorOptions & {
      uniqueId: string
      deletion?: bigint
    }) => {
      const restored = await withDatabase(({ database }) =>
        database.transaction((sql) =>
          restoreDevlogs(sql, {
            uniqueId: device,
            deletionId: deletion === undefined ? undefined : Number(deletion),
            operator: operatorOf(options),
          }),
        ),
      )
      if (!restored) throw new CommandError('There is no deletion of this device to undo')
      printResult(
        { unique_id: device, ...restored },
        options,
        `${formatCount(restored.restored, 'record')} restored, ${formatCount(restored.deletions, 'deletion')} undone`,
      )
    },
  )

function parseWallClock(text: string): string {
  if (!isLocalDateTime(text)) throw new CommandError(`${text} is not a time like 2026-03-01T21:30:00`)
  return text
}

function parseDuration(text: string): number {
  const seconds = durationSeconds(text)
  if (!seconds || Math.abs(seconds) > LONGEST_SHIFT)
    throw new CommandError(`${text} is not a duration like PT9H, -PT9H or P20440D`)
  return seconds
}

/** A hundred years, in seconds. */
const LONGEST_SHIFT = 3_155_760_000

const withStayed = (outcome: string, stayed: readonly UnmovedRecord[]) => {
  const rows = stayed.map(({ treatment_date, log_file_id, reason }) => [treatment_date, log_file_id, reason])
  if (rows.length === 0) return outcome
  return `${outcome}\n\n${table(['stayed', 'log', 'because'], rows, '')}`
}

const shift = operatorCommand(
  'shift',
  'correct the dates of usage logs of a device whose clock was wrong',
  'devlog shift --unique-id 3f2b8c9e-1111-4222-8333-123456789abc --from 2026-03-01T00:00:00 --to 2026-03-08T00:00:00 --by PT9H --dry-run',
)
  .requiredOption('--unique-id <uuid>', 'the device', parseUniqueId)
  .requiredOption(
    '--from <time>',
    'the first wrong date, as a wall clock: 2026-03-01T21:30:00',
    parseWallClock,
  )
  .requiredOption('--to <time>', 'the last wrong date', parseWallClock)
  .requiredOption('--by <duration>', 'what to add, in ISO 8601: PT9H, -PT9H, P1DT30M', parseDuration)
  .option('--dry-run', 'show what would happen without changing anything')
  .action(async ({ uniqueId: device, from, to, by, dryRun = false, ...options }: ShiftOptions) => {
    const operator = operatorOf(options)
    const wanted = { uniqueId: device, from, to, seconds: by, dryRun, operator }
    const shifted = await withDatabase(({ database }) =>
      database.transaction((sql) => shiftDevlogs(sql, wanted)),
    )
    if (!shifted) throw new CommandError('There is no device with this unique_id')
    const { shiftId, moved, first, last, stayed } = shifted
    const outcome = dryRun
      ? `${formatCount(moved, 'record')} would be shifted`
      : `${formatCount(moved, 'record')} shifted${shiftId === null ? '' : ` by shift ${shiftId}`}`
    const ends = table(
      ['record', 'log', 'date', 'new date'],
      Object.entries({ first, last }).flatMap(([end, each]) =>
        each ? [[end, each.log_file_id, each.treatment_date, each.new_date]] : [],
      ),
      '',
    )
    printResult(
      { shift_id: shiftId, unique_id: device, moved, first, last, stayed },
      options,
      withStayed([outcome, ends].filter(Boolean).join('\n\n'), stayed),
    )
  })

interface ShiftOptions extends OperatorOptions {
  uniqueId: string
  from: string
  to: string
  by: number
  dryRun?: boolean
}

const unshift = operatorCommand('unshift', 'undo a shift', 'devlog unshift 7')
  .argument('<id>', 'its id, as `devlog shift` printed it', parseId)
  .action(async (id: bigint, options: OperatorOptions) => {
    const undone = await withDatabase(({ database }) =>
      database.transaction((sql) => unshiftDevlogs(sql, Number(id), operatorOf(options))),
    )
    if (!undone) throw new CommandError('There is no shift with this id to undo')
    if ('later' in undone)
      throw new CommandError(`Shift ${undone.later} has moved some of these records again: undo it first`)
    printResult(
      { shift_id: Number(id), ...undone },
      options,
      withStayed(`${formatCount(undone.moved, 'record')} shifted back`, undone.stayed),
    )
  })

const list = operatorCommand('list', 'list the rejected items, oldest first', 'devlog rejected list').action(
  async (options: OperatorOptions) => {
    const rejected = await withDatabase(async ({ database }) => {
      const found = await listRejected(database)
      await noteRejected(database, operatorOf(options), 'list', found)
      return found
    })
    printResult(
      rejected.map(({ id, received_at, reason }) => ({ id: Number(id), received_at, reason })),
      options,
      table(
        ['item', 'received', 'reason'],
        rejected.map(({ id, received_at, reason }) => [id, received_at, reason]),
        'Nothing was rejected',
      ),
    )
  },
)

const show = operatorCommand('show', 'show one rejected item as it was sent', 'devlog rejected show 12')
  .argument('<id>', 'its id in `list`', parseId)
  .action(async (id: bigint, options: OperatorOptions) => {
    const [rejected] = await withDatabase(async ({ database }) => {
      const found = await listRejected(database, id)
      await noteRejected(database, operatorOf(options), 'show', found)
      return found
    })
    if (!rejected) throw new CommandError('There is no rejected item with this id')
    printResult(
      { ...rejected, id: Number(id), content: JSON.parse(rejected.content) },
      options,
      fieldLines({
        received: rejected.received_at,
        from: rejected.address,
        reason: rejected.reason,
        content: rejected.content,
      }),
    )
  })

const retry = operatorCommand(
  'retry',
  'try again to store rejected items: useful once the device is registered or the rules were fixed',
  'devlog rejected retry',
  'devlog rejected retry 12 --for-present-wearer',
)
  .argument('[id]', 'only this item', parseId)
  .option(
    '--for-present-wearer',
    'store the item for the child who wears the device now, although no wearer is known for when it arrived',
  )
  .action(async (id: bigint | undefined, { forPresentWearer = false, ...options }: RetryOptions) => {
    if (forPresentWearer && id === undefined) throw new CommandError('--for-present-wearer needs an id')
    const outcomes = await withDatabase(async ({ database }) => {
      await noteRejected(database, operatorOf(options), 'retry', await listRejected(database, id))
      return retryRejected(database, id, forPresentWearer)
    })
    if (id !== undefined && outcomes.length === 0) {
      throw new CommandError('There is no rejected item with this id')
    }
    const kept = outcomes.filter(({ status }) => status === 'kept').length
    printResult(
      outcomes,
      options,
      table(
        ['item', 'outcome', 'reason'],
        outcomes.map((each) => [each.id, each.status, each.detail]),
        'Nothing was rejected',
      ) + (kept > 0 ? `\n${kept} kept: not stored for the child who wears the device now; see --help` : ''),
    )
  })

interface RetryOptions extends OperatorOptions {
  forPresentWearer?: boolean
}

/** Puts on record whose rejected items were shown, tried again, or deleted. */
const noteRejected = (
  database: Database,
  operator: Operator,
  name: string,
  items: readonly { real_user_id?: number | null | undefined }[],
) =>
  recordOperatorDisclosure(database, operator, `companion devlog rejected ${name}`, {
    realUserIds: items.map(({ real_user_id = null }) => real_user_id),
  })

const drop = operatorCommand('drop', 'delete one rejected item', 'devlog rejected drop 12')
  .argument('<id>', 'its id in `list`', parseId)
  .action(async (id: bigint, options: OperatorOptions) => {
    const isDropped = await withDatabase(async ({ database }) => {
      await noteRejected(database, operatorOf(options), 'drop', await listRejected(database, id))
      return dropRejected(database, id)
    })
    if (!isDropped) {
      throw new CommandError('There is no rejected item with this id')
    }
    printResult({ id: Number(id), dropped: true }, options, `${id} dropped`)
  })

const check = createCommand(
  'check-stored',
  'check all treatments for issues that no constraint prevents; exit code 1 if any are found',
  'devlog check-stored',
).action(async (options: { json?: boolean }) => {
  const found = await withDatabase(({ database }) => checkDevlogs(database))
  const isConsistent = Object.values(found).every((number) => number === 0)
  printResult(
    found,
    options,
    table(
      ['treatments', 'issue'],
      [
        [found.without_device, 'without a device'],
        [found.without_child, 'without a child'],
        [found.temporary_beside_complete, 'temporary beside a complete one'],
        [found.temporary_beside_longer, 'temporary beside a longer one of the same use'],
      ],
      '',
    ) + (isConsistent ? '\nNo issues' : ''),
  )
  if (!isConsistent) process.exitCode = 1
})

export const devlogCommand = new Command('devlog')
  .description(descriptions.devlog)
  .addCommand(deletions)
  .addCommand(restore)
  .addCommand(shift)
  .addCommand(unshift)
  .addCommand(check)
  .addCommand(
    new Command('rejected')
      .description('manage items of lenient uploads that could not be stored')
      .addCommand(list)
      .addCommand(show)
      .addCommand(retry)
      .addCommand(drop),
  )
