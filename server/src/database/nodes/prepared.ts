import type { Pool } from 'pg'
import { isStatementTimeout } from '../sql-errors.ts'
import { askNodes } from './nodes.ts'

/** A transaction that has promised on a node to commit there, and waits for the word to do so. */
export interface PreparedTransaction {
  node: string
  gid: string
  /** Since when it waits, by the clock of its node. */
  seconds: number
}

export interface PreparedTransactions {
  /** The oldest first. */
  transactions: PreparedTransaction[]
  /** The nodes that could not be asked, each with the reason. */
  silent: string[]
}

/** The transactions of this database that are prepared now, on any node. Undefined for a database on one machine. */
export async function listPreparedTransactions(pool: Pool): Promise<PreparedTransactions | undefined> {
  const { rows: known } = await pool.query(`SELECT WHERE to_regclass('pg_dist_node') IS NOT NULL`)
  if (known.length === 0) return undefined
  const transactions: PreparedTransaction[] = []
  const silent: string[] = []
  for (const { node, success, result } of await askNodes(
    pool,
    `SELECT coalesce(json_agg(json_build_object('gid', gid, 'seconds', extract(epoch FROM now() - prepared)::float8)), '[]')
     FROM pg_prepared_xacts WHERE database = current_database()`,
  )) {
    if (!success) silent.push(`${node}: ${result}`)
    else
      transactions.push(
        ...JSON.parse(result).map((found: { gid: string; seconds: number }) => ({ node, ...found })),
      )
  }
  return { transactions: transactions.toSorted((a, b) => b.seconds - a.seconds), silent }
}

/** Each transaction on two nodes is prepared for a moment. */
const MOMENT_SECONDS = 0.5

/**
 * Whether a statement may have waited until its time was over for what a node has promised to commit: the word is not there yet.
 */
export async function isBlockedByPrepared(pool: Pool, error: unknown): Promise<boolean> {
  if (!isStatementTimeout(error)) return false
  const found = await listPreparedTransactions(pool).catch(() => undefined)
  return found?.transactions.some(({ seconds }) => seconds > MOMENT_SECONDS) ?? false
}

/**
 * How a transaction is to end. `unknown` is one that was not begun by a coordinator: who has prepared it by hand must end it.
 */
export type TransactionDecision = 'under way' | 'commit' | 'rollback' | 'unknown'

/**
 * Tells for each of these transactions how it is to end. They have to be read before: one that has ended since then would be
 * taken for one that rolls back, if the coordinator were asked before its nodes.
 */
export async function findTransactionDecisions(
  pool: Pool,
  transactions: readonly PreparedTransaction[],
): Promise<(PreparedTransaction & { decision: TransactionDecision })[]> {
  const { rows: active } = await pool.query<{ number: string }>(
    'SELECT transaction_number::text AS number FROM get_all_active_transactions() WHERE transaction_number > 0',
  )
  const { rows: committed } = await pool.query<{ gid: string }>('SELECT gid FROM pg_dist_transaction')
  const underWay = new Set(active.map(({ number }) => number))
  const decided = new Set(committed.map(({ gid }) => gid))
  return transactions.map((each) => {
    // The group of the node that has begun it, its process there, its number, and the connection.
    const number = /^citus_0_\d+_(\d+)_\d+$/.exec(each.gid)?.[1]
    if (number === undefined) return { ...each, decision: 'unknown' }
    if (underWay.has(number)) return { ...each, decision: 'under way' }
    return { ...each, decision: decided.has(each.gid) ? 'commit' : 'rollback' }
  })
}

/**
 * Has the coordinator end what it has decided about, on all nodes that answer; nothing that is under way. It does the same by
 * itself, once a minute. Resolves to how many have ended.
 */
export async function recoverPreparedTransactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ended: number }>('SELECT recover_prepared_transactions() AS ended')
  return rows[0]?.ended ?? 0
}
