import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Sql } from '../database/database.ts'
import { hashBlock, chains, CHAIN_CUT_MARKER, hashHead } from './chain.ts'
import type { Chain, ChainKeys } from './chain.ts'

interface HeadRow {
  first: number
  last: number
  kept_since: string | null
  hash: Buffer | null
}

export interface SignedHead extends HeadRow {
  /** Whether it says what the service has signed. */
  isSigned: boolean
  /** What the next block follows: the hash of the last one; null if there is none; `CHAIN_CUT_MARKER` if the head is not as signed. */
  before: Buffer | null
}

/** Runs a statement within the transaction of `tx`; resolves to its rows. */
export const runStatement = async <Row>(tx: Sql, text: string, values: unknown[]): Promise<Row[]> =>
  (await tx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** The head of a chain. One that is not as signed must not be signed again as if it were: that would hide what was taken away. */
export async function readHead(
  tx: Sql,
  chain: Chain,
  keys: ChainKeys,
  locking: '' | 'FOR UPDATE' = '',
): Promise<SignedHead> {
  const [head] = await runStatement<HeadRow>(
    tx,
    `SELECT first_block::int AS first, last_block::int AS last, kept_since::text, hash FROM chain_head WHERE record = $1
     ${locking}`,
    [chain.name],
  )
  if (!head) throw new Error(`The head of the chain "${chain.name}" is gone`)
  const lastBlock = await hashOfBlock(tx, chain, head.last)
  const isSigned = head.hash?.equals(hashHead(keys, headOf(chain, head), lastBlock)) === true
  return { ...head, isSigned, before: isSigned ? lastBlock : CHAIN_CUT_MARKER }
}

/** The same. The transaction that holds it closes, drops or purges; others wait, and then see the result. */
export const lockHead = (tx: Sql, chain: Chain, keys: ChainKeys): Promise<SignedHead> =>
  readHead(tx, chain, keys, 'FOR UPDATE')

const headOf = ({ name }: Chain, { first, last, kept_since }: Omit<HeadRow, 'hash'>) => ({
  record: name,
  first,
  last,
  keptSince: kept_since,
})

/**
 * Signs that the chains are empty, before there is an account: a head without a signature later shows that somebody has
 * emptied its record.
 */
export async function beginChains(pool: Pick<Pool, 'query'>, keys: ChainKeys): Promise<void> {
  for (const chain of chains)
    await pool.query(
      `UPDATE chain_head SET hash = $2
       WHERE record = $1 AND hash IS NULL AND first_block = 1 AND last_block = 0 AND kept_since IS NULL
         AND NOT EXISTS (SELECT FROM root_user)`,
      [chain.name, hashHead(keys, headOf(chain, { first: 1, last: 0, kept_since: null }), null)],
    )
}

/** The hash of a closed block. */
export async function hashOfBlock(tx: Sql, { name }: Chain, number: number): Promise<Buffer | null> {
  const [block] = await runStatement<{ hash: Buffer }>(
    tx,
    'SELECT hash FROM chain_block WHERE record = $1 AND number = $2',
    [name, number],
  )
  return block?.hash ?? null
}

/** Signs blocks behind the last one of `head`; each is the hashes of its rows. `month` is that of all of them. */
export async function signBlocks(
  tx: Sql,
  { chain, keys }: { chain: Chain; keys: ChainKeys },
  head: SignedHead,
  { blocks, month, now }: { blocks: readonly (readonly Buffer[])[]; month: string | null; now: number },
): Promise<void> {
  const record = chain.name
  let { before } = head
  const signed = blocks.map((rowHashes, n) => {
    const block = { record, number: head.last + 1 + n, month, rows: rowHashes.length, closedAt: now }
    before = hashBlock(keys, block, before, rowHashes)
    return { ...block, hash: before }
  })
  await runStatement(
    tx,
    `INSERT INTO chain_block (record, number, month, rows, closed_at, hash)
     SELECT $1, number, $2, rows, $3, hash FROM unnest($4::bigint[], $5::int[], $6::bytea[]) AS b (number, rows, hash)`,
    [
      record,
      month,
      new Date(now),
      signed.map(({ number }) => number),
      signed.map(({ rows }) => rows),
      signed.map(({ hash }) => hash),
    ],
  )
  const last = head.last + blocks.length
  await runStatement(tx, 'UPDATE chain_head SET last_block = $2, hash = $3 WHERE record = $1', [
    record,
    last,
    hashHead(keys, headOf(chain, { ...head, last }), before),
  ])
}
