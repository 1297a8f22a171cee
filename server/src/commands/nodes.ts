import { Command } from 'commander'
import {
  findTransactionDecisions,
  recoverPreparedTransactions,
  listPreparedTransactions,
} from '../database/nodes/index.ts'
import type { Database } from '../database/database.ts'
import { descriptions } from './descriptions.ts'
import { createCommand, printResult, withDatabase } from './program.ts'
import { table } from './table.ts'

/** A transaction that has been prepared for longer is not just about to end. */
const MOMENT_SECONDS = 5

interface Options {
  json?: boolean
  resolve?: boolean
}

const inDoubt = createCommand(
  'in-doubt',
  'list the transactions that are prepared on a node and have not ended there',
  'nodes in-doubt',
  'nodes in-doubt --resolve',
)
  .option('--resolve', 'commit or roll back what the coordinator has decided, leave running transactions')
  .action(async ({ resolve = false, json = false }: Options) => {
    const found = await withDatabase(async ({ database }) => {
      const before = await read(database)
      if (!resolve || !before.isOnNodes) return { ...before, ended: 0 }
      const ended = await recoverPreparedTransactions(database.pool)
      return { ...(await read(database)), ended }
    })
    const { isOnNodes, ...shown } = found
    if (!isOnNodes)
      return printResult(shown, { json }, 'The database lies on one machine: nothing can be in doubt')
    const lines = [
      ...(resolve ? [`${found.ended} ended`] : []),
      ...found.silent.map((node) => `No answer from ${node}`),
      table(
        ['node', 'transaction', 'seconds', 'decided'],
        found.transactions.map(({ node, gid, seconds, decision }) => [
          node,
          gid,
          Math.round(seconds),
          decision,
        ]),
        'No transaction is in doubt',
      ),
    ]
    printResult(shown, { json }, lines.join('\n\n'))
    // Each transaction on two nodes is prepared for a moment, and may be decided in the next one.
    const isLeft = found.transactions.some(
      ({ decision, seconds }) =>
        decision === 'unknown' || (decision !== 'under way' && seconds > MOMENT_SECONDS),
    )
    if (found.silent.length > 0 || (resolve && isLeft)) process.exitCode = 1
  })

async function read({ pool }: Database) {
  const prepared = await listPreparedTransactions(pool)
  if (!prepared) return { isOnNodes: false, transactions: [], silent: [] }
  return {
    isOnNodes: true,
    ...prepared,
    transactions: await findTransactionDecisions(pool, prepared.transactions),
  }
}

export const nodesCommand = new Command('nodes').description(descriptions.nodes).addCommand(inDoubt)
