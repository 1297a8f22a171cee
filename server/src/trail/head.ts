import { CompiledQuery } from 'kysely'
import type { Sql } from '../database/database.ts'
import { blockHash, headHash } from './chain.ts'
import type { Chain, ChainKeys } from './chain.ts'

interface HeadRow {
  first: number
  last: number
  kept_since: string | null
  hash: Buffer | null
}

/** Runs a statement within the transaction of `tx`; resolves to its rows. */
export const run = async <Row>(tx: Sql, text: string, values: unknown[]): Promise<Row[]> =>
  (await tx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** The head of a chain. Who has it closes, drops or purges; others wait, and then find what that has done. */
export const lockHead = async (tx: Sql, { name }: Chain): Promise<HeadRow> => {
  const [head] = await run<HeadRow>(
    tx,
    `SELECT first_block::int AS first, last_block::int AS last, kept_since::text, hash FROM chain_head WHERE record = $1
     FOR UPDATE`,
    [name],
  )
  if (!head) throw new Error(`The head of the chain "${name}" is gone`)
  return head
}

/** The hash of a closed block. */
export async function hashOfBlock(tx: Sql, { name }: Chain, number: number): Promise<Buffer | null> {
  const [block] = await run<{ hash: Buffer }>(
    tx,
    'SELECT hash FROM chain_block WHERE record = $1 AND number = $2',
    [name, number],
  )
  return block?.hash ?? null
}

/** Signs blocks behind the last one of `head`, which is locked; each is the hashes of its rows. `month` is that of all of them. */
export async function signBlocks(
  tx: Sql,
  { chain, keys }: { chain: Chain; keys: ChainKeys },
  head: HeadRow,
  { blocks, month, now }: { blocks: readonly (readonly Buffer[])[]; month: string | null; now: number },
): Promise<void> {
  const record = chain.name
  let before = await hashOfBlock(tx, chain, head.last)
  const signed = blocks.map((rowHashes, n) => {
    const block = { record, number: head.last + 1 + n, month, rows: rowHashes.length, closedAt: now }
    before = blockHash(keys, block, before, rowHashes)
    return { ...block, hash: before }
  })
  await run(
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
  const { first, kept_since: keptSince } = head
  const last = head.last + blocks.length
  await run(tx, 'UPDATE chain_head SET last_block = $2, hash = $3 WHERE record = $1', [
    record,
    last,
    headHash(keys, { record, first, last, keptSince }, before),
  ])
}
