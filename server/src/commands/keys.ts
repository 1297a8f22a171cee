import { Command } from 'commander'
import { reencrypt } from '../encrypted-columns/reencrypt.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'
import { startProgress } from './progress.ts'
import { formatCount } from './table.ts'

const rotate = createCommand(
  'rotate',
  'encrypt all personal columns with the first key of DATA_KEYS, while the service runs',
  'keys rotate',
).action(async (options: { json?: boolean }) => {
  const progress = startProgress('values')
  const { values, unreadable, stillUsed } = await withDatabase(({ database }) =>
    reencrypt(database, progress.show),
  ).finally(() => progress.end())
  const places = Object.entries(unreadable).map(
    ([place, times]) => `${formatCount(times, 'value')} of ${place}`,
  )
  printResult(
    { values, unreadable, still_used: stillUsed },
    options,
    `${formatCount(values, 'value')} encrypted`,
  )
  if (stillUsed.length > 0)
    throw new CommandError(
      `A process goes on writing values ${stillUsed.map(withKey).join(' and ')}: ` +
        'give each process the new key as the first of DATA_KEYS, then run this again; keep all keys until then',
    )
  if (places.length > 0)
    throw new CommandError(`No key opens ${places.join(', ')}; keep all keys of DATA_KEYS`)
})

const withKey = (id: string | null) => (id === null ? 'without encryption' : `with the key "${id}"`)

export const keysCommand = new Command('keys').description(descriptions.keys).addCommand(rotate)
