import { Command, InvalidArgumentError } from 'commander'
import { deriveKeys } from '../auth/keys.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import { chains } from '../trail/chain.ts'
import { runStatement } from '../trail/head.ts'
import { exportTrail } from '../trail/export-trail.ts'
import { verifyChain } from '../trail/verify-chain.ts'
import type { Damage, ChainVerification } from '../trail/verify-chain.ts'
import { descriptions } from './descriptions.ts'
import { compareWithPublication, formatMissingChainEnd, publishCommand } from './publish-trail.ts'
import { recordOperatorDisclosure, operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import { createCommand, printResult, parseId, withDatabase } from './program.ts'
import { startSteps } from './progress.ts'
import { table } from './table.ts'

const DAY_MS = 86_400_000

const exportOne = operatorCommand(
  'export',
  'write who has reached the data of a child, as CSV, the oldest first',
  'trail export --child 17 > trail.csv',
)
  .requiredOption('--child <id>', 'id of the child, even of a deleted one', parseId)
  .action(async ({ child, ...options }: OperatorOptions & { child: number }) => {
    await withDatabase(async ({ database }) => {
      await recordOperatorDisclosure(database, operatorOf(options), 'companion trail export', {
        realUserIds: [child],
      })
      for await (const lines of exportTrail(database, child)) {
        if (!(await written(lines))) return
      }
    })
  })

/** Resolves to false when nobody reads on. */
const written = (text: string) =>
  new Promise<boolean>((resolve) => {
    process.stdout.write(text, (error) => resolve(!error))
  })

interface VerifyOptions {
  against?: string
  known: Partial<Record<string, string>>
  json?: boolean
}

const verify = createCommand(
  'verify',
  'verify that the audit trail and the security record are unchanged; exit code 1 if they are not',
  'trail verify',
  'trail verify --against /mnt/auditor/trail.heads',
  'trail verify --known trail:120:mZ0q8A --known security:33:q8AmZ0',
)
  .option(
    '--known <head>',
    'a head that an earlier verification printed, which the record must still have',
    knownHead,
    {},
  )
  .option('--against <file>', 'what `trail publish` has handed out, which the record must still have')
  .action(async ({ known, against, ...options }: VerifyOptions) => {
    const progress = startSteps()
    const { found, compared } = await withDatabase(async ({ config, database }) => {
      const keys = deriveKeys(await readTokenSecret(config), config)
      const erasedBefore = new Date(Date.now() - config.tombstoneDays * DAY_MS)
      return database.transaction(async (tx) => {
        // One snapshot, so that blocks may be closed at the same time.
        await runStatement(tx, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', [])
        const all: ChainVerification[] = []
        for (const chain of chains)
          all.push(
            await verifyChain(tx, chain, keys, {
              keyRing: database.keyRing,
              erasedBefore,
              known: known[chain.name],
              report: (rows, share) => progress.show(`rows of the ${chain.name} record`, rows, share),
            }),
          )
        return {
          found: all,
          compared:
            against === undefined ? undefined : await compareWithPublication(against, tx, { keys, config }),
        }
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
    const damages = found.flatMap(({ damage, unreadable }) =>
      [...unreadable, ...(damage ? [damage] : [])].map(inWords),
    )
    const missing = compared?.missing ?? []
    const result = found.map((each) => ({
      ...each,
      ...(compared && { missing: missing.filter(({ record }) => record === each.record) }),
    }))
    const unproven = compared?.unproven ?? []
    const isWhole = damages.length + missing.length + unproven.length === 0
    const verdict = isWhole ? ['Both records are whole'] : []
    printResult(
      result,
      options,
      [table(headers, rows, ''), ...damages, ...missing.map(formatMissingChainEnd), ...verdict].join('\n'),
    )
    for (const { line, reason } of unproven) process.stderr.write(`${against}: line ${line} ${reason}\n`)
    if (!isWhole) process.exitCode = 1
  })

function knownHead(text: string, others: Partial<Record<string, string>>): Partial<Record<string, string>> {
  const [, record = '', head] = /^(trail|security):(\d+:[\w-]+)$/.exec(text) ?? []
  if (head === undefined) throw new InvalidArgumentError('must be a head as `trail verify` prints it')
  return { ...others, [record]: head }
}

const words: Record<Exclude<Damage['damage'], 'head'>, string> = {
  unreadable: 'had a value that no key opened when its block was closed',
  changed: 'was changed',
  moved: 'was moved',
  removed: 'was removed',
  inserted: 'was inserted',
  truncated: 'and all behind it are gone',
  cut: 'was the first after somebody had changed where the record begins or ends; rows before it may be gone',
  block: 'begins a block that is not what was signed',
}

const inWords = ({ record, damage, block, place, id, at }: Damage) =>
  damage === 'head'
    ? `${record}: nothing says any more where the record begins and ends, and rows may be gone`
    : `${record}: row ${place} of block ${block}${id === null ? '' : ` (id ${id}, ${at})`} ${words[damage]}`

export const trailCommand = new Command('trail')
  .description(descriptions.trail)
  .addCommand(verify)
  .addCommand(publishCommand)
  .addCommand(exportOne)
