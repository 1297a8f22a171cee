import { once } from 'node:events'
import { Command, InvalidArgumentError } from 'commander'
import { deriveKeys } from '../auth/keys.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { chains } from '../trail/chain.ts'
import { run } from '../trail/head.ts'
import { exportTrail } from '../trail/export-trail.ts'
import { verifyChain } from '../trail/verify-chain.ts'
import type { Fault, Verified } from '../trail/verify-chain.ts'
import { noteShown, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { command, print, wholeNumber, withDatabase } from './program.ts'
import { startSteps } from './progress.ts'
import { table } from './table.ts'

const DAY_MS = 86_400_000

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

interface VerifyOptions {
  known: Partial<Record<string, string>>
  json?: boolean
}

const verify = command(
  'verify',
  'look whether the trail and the security record say what was written; exit code 1 if not',
  'trail verify',
  'trail verify --known trail:120:mZ0q8A --known security:33:q8AmZ0',
)
  .option(
    '--known <head>',
    'a head that an earlier look has printed, which the record must still have',
    knownHead,
    {},
  )
  .action(async ({ known, ...options }: VerifyOptions) => {
    const progress = startSteps()
    const found = await withDatabase(async ({ config, database }) => {
      const keys = deriveKeys(await readTokenSecret(config), config)
      const erasedBefore = new Date(Date.now() - config.tombstoneDays * DAY_MS)
      return database.transaction(async (tx) => {
        // One snapshot, so that blocks may be closed at the same time.
        await run(tx, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', [])
        const all: Verified[] = []
        for (const chain of chains)
          all.push(
            await verifyChain(tx, chain, keys, {
              keyRing: database.keyRing,
              erasedBefore,
              known: known[chain.name],
              report: (rows, share) => progress.show(`rows of the ${chain.name} record`, rows, share),
            }),
          )
        return all
      })
    }).finally(() => progress.end())
    const headers = ['record', 'blocks', 'rows', 'not in a block', 'head']
    const rows = found.map((each) => [
      each.record,
      each.blocks,
      each.rows,
      each.open,
      each.head && `${each.record}:${each.head}`,
    ])
    const faults = found.flatMap(({ fault, unreadable }) =>
      [...unreadable, ...(fault ? [fault] : [])].map(inWords),
    )
    print(found, options, [table(headers, rows, ''), ...faults].join('\n'))
    if (faults.length > 0) process.exitCode = 1
  })

function knownHead(text: string, others: Partial<Record<string, string>>): Partial<Record<string, string>> {
  const [, record = '', head] = /^(trail|security):(\d+:[\w-]+)$/.exec(text) ?? []
  if (head === undefined) throw new InvalidArgumentError('must be a head as `trail verify` prints it')
  return { ...others, [record]: head }
}

const words: Record<Fault['fault'], string> = {
  unreadable: 'had a value that no key opened when its block was closed',
  changed: 'was changed',
  moved: 'was moved',
  removed: 'was removed',
  inserted: 'was inserted',
  truncated: 'and all behind it are gone',
  block: 'begins a block that is not what was signed',
  head: 'cannot be told: the ends of the chain are gone',
}

const inWords = ({ record, fault, block, place, id, at }: Fault) =>
  `${record}: row ${place} of block ${block}${id === null ? '' : ` (id ${id}, ${at})`} ${words[fault]}`

export const trailCommand = new Command('trail')
  .description("read and verify the trail of who has reached children's data")
  .addCommand(verify)
  .addCommand(exportOne)
