import type { Sql } from '../database/database.ts'
import { UnreadableValue } from '../encryption/key-ring.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import {
  hashBlock,
  CHAIN_CUT_MARKER,
  hashHead,
  hashPersonalValues,
  hashRow,
  hashUndecryptableValues,
} from './chain.ts'
import type { Chain, ChainKeys } from './chain.ts'
import { hashOfBlock, runStatement } from './head.ts'

interface Look {
  keyRing: KeyRing
  erasedBefore: Date
  known?: string | undefined
  report?: (rows: number, share: number) => void
}

/** So many are in memory at a time, with their rows. */
const BLOCKS_AT_ONCE = 10

/** Something that is not as it was written. */
export interface Damage {
  record: Chain['name']
  /**
   * Of a row: no key opened its value when its block was closed (`unreadable`); it says something else, or what is personal in it went without need (`changed`); it has another place
   * (`moved`); it is gone (`removed`); it was never written (`inserted`). The chain goes no further than this block (`truncated`);
   * before this block was closed, the ends of the chain were no longer what was signed (`cut`);
   * what is said of a block, or of the ends of the chain, is not what was signed (`block`, `head`).
   */
  damage: 'unreadable' | 'changed' | 'moved' | 'removed' | 'inserted' | 'truncated' | 'cut' | 'block' | 'head'
  block: number
  place: number
  /** Of the row; null if it is gone. */
  id: string | null
  at: string | null
}

export interface ChainVerification {
  record: Chain['name']
  rows: number
  blocks: number
  /** Rows that are in no block yet. */
  open: number
  /** Number and hash of the last block: who keeps them elsewhere can tell later whether the chain still has it. */
  head: string | null
  /** The first damage, behind which nothing was looked at. */
  damage: Damage | null
  /** Rows of which a value was damaged before their block was closed; all else of them is as it was written. */
  unreadable: Damage[]
}

interface Row {
  id: string
  at: string
  block: number
  place: number
  content: string
  personal: string | null
  salt: Buffer | null
  personal_hash: Buffer | null
  row_hash: Buffer | null
  may_be_erased: boolean
}

interface BlockRow {
  number: number
  month: string | null
  rows: number
  closed_at: number
  hash: Buffer
}

/**
 * Looks whether a record says what was written, from its first block on, in the snapshot of `tx`. What is personal may be
 * gone from rows older than `erasedBefore`, and of those who are erased. `known` is the `head` that an earlier look has told.
 * `report` is told how many rows have been looked at, and which share of the blocks that is.
 */
export async function verifyChain(
  tx: Sql,
  chain: Chain,
  keys: ChainKeys,
  { keyRing, erasedBefore, known, report = () => undefined }: Look,
): Promise<ChainVerification> {
  const record = chain.name
  const [open] = await runStatement<{ count: number }>(
    tx,
    `SELECT count(*)::float8 AS count FROM ${chain.table} r WHERE r.block IS NULL`,
    [],
  )
  const verified: ChainVerification = {
    record,
    rows: 0,
    blocks: 0,
    open: open?.count ?? 0,
    head: null,
    damage: null,
    unreadable: [],
  }
  const damageAt = (
    damage: Damage['damage'],
    block: number,
    place: number,
    row?: Pick<Row, 'id' | 'at'>,
  ) => ({
    record,
    damage,
    block,
    place,
    id: row?.id ?? null,
    at: row?.at ?? null,
  })
  const found = (...first: Parameters<typeof damageAt>) => ({ ...verified, damage: damageAt(...first) })
  const [head] = await runStatement<{
    first: number
    last: number
    kept_since: string | null
    hash: Buffer | null
  }>(
    tx,
    `SELECT first_block::int AS first, last_block::int AS last, kept_since::text, hash FROM chain_head WHERE record = $1`,
    [record],
  )
  if (!head) return found('head', 0, 0)
  const { first, last, kept_since: keptSince } = head
  let before = await hashOfBlock(tx, chain, first - 1)
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    const to = Math.min(last, from + BLOCKS_AT_ONCE - 1)
    const blocks = await readBlocks(tx, record, from, to)
    const rows = Map.groupBy(await readRows(tx, chain, { from, to, erasedBefore }), ({ block }) => block)
    for (let number = from; number <= to; number += 1) {
      const block = blocks.get(number)
      const ofBlock = rows.get(number) ?? []
      if (!block) return found(number === last ? 'truncated' : 'removed', number, 1, ofBlock[0])
      const isPurged = keptSince !== null && block.month !== null && block.month < keptSince
      const report = (row: Row) => verified.unreadable.push(damageAt('unreadable', number, row.place, row))
      const damage = isPurged
        ? purgedDamage(ofBlock)
        : rowsDamage({ keys, keyRing }, chain, block, ofBlock, report)
      if (damage) return found(damage.damage, number, damage.place, damage.row)
      const closed = { record, number, month: block.month, rows: block.rows, closedAt: block.closed_at }
      const hashes = ofBlock.flatMap(({ row_hash }) => row_hash ?? [])
      const follows = (last: Buffer | null) => hashBlock(keys, closed, last, hashes).equals(block.hash)
      if (!isPurged && !follows(before))
        return found(follows(CHAIN_CUT_MARKER) ? 'cut' : 'block', number, 1, ofBlock[0])
      if (known === anchor(number, block.hash)) known = undefined
      before = block.hash
      verified.rows += ofBlock.length
      verified.blocks += 1
    }
    report(verified.rows, (to - first + 1) / (last - first + 1))
  }
  const [beyond] = await runStatement<Row>(
    tx,
    `${selectRows(chain)} WHERE r.block > $1 OR r.block < $2 ORDER BY r.block, r.place LIMIT 1`,
    [last, first, erasedBefore],
  )
  if (beyond) return found('inserted', beyond.block, beyond.place, beyond)
  if (head.hash === null) return found('head', 0, 0)
  if (!head.hash.equals(hashHead(keys, { record, first, last, keptSince }, before)))
    return found('truncated', last + 1, 1)
  if (known !== undefined) return found('truncated', Number.parseInt(known, 10) || last + 1, 1)
  return { ...verified, head: before && anchor(last, before) }
}

const anchor = (number: number, hash: Buffer) => `${number}:${hash.toString('base64url')}`

async function readBlocks(
  tx: Sql,
  record: Chain['name'],
  from: number,
  to: number,
): Promise<Map<number, BlockRow>> {
  const blocks = await runStatement<BlockRow>(
    tx,
    `SELECT number::int, month::text, rows, (extract(epoch FROM closed_at) * 1000)::float8 AS closed_at, hash
     FROM chain_block WHERE record = $1 AND number BETWEEN $2 AND $3`,
    [record, from, to],
  )
  return new Map(blocks.map((block) => [block.number, block]))
}

const selectRows = (chain: Chain) =>
  `SELECT r.id::text, to_char(r.${chain.time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, r.block::int,
     r.place, ${chain.content} AS content, ${chain.personal} AS personal, r.personal_salt AS salt, r.personal_hash, r.row_hash,
     CASE WHEN r.personal_hash IS NOT NULL AND r.personal_salt IS NULL THEN ${chain.mayBeErased} ELSE false END AS may_be_erased
   FROM ${chain.table} r`

/** SQL of the rows of the blocks from `$1` to `$2`. */
export const rowsOfBlocks = (chain: Chain) =>
  `${selectRows(chain)} WHERE r.block BETWEEN $1 AND $2 ORDER BY r.block, r.place, r.id`

const readRows = (
  tx: Sql,
  chain: Chain,
  { from, to, erasedBefore }: { from: number; to: number; erasedBefore: Date },
): Promise<Row[]> => runStatement<Row>(tx, rowsOfBlocks(chain), [from, to, erasedBefore])

interface RowDamage {
  damage: Damage['damage']
  place: number
  row?: Row | undefined
}

const purgedDamage = ([row]: readonly Row[]): RowDamage | undefined =>
  row && { damage: 'inserted', place: row.place, row }

/** The first row of a block that is not as it was written. `report` takes those before it that were unreadable already then. */
function rowsDamage(
  { keys, keyRing }: { keys: ChainKeys; keyRing: KeyRing },
  chain: Chain,
  block: BlockRow,
  rows: readonly Row[],
  report: (row: Row) => void,
): RowDamage | undefined {
  const record = chain.name
  const fits = (row: Row, place: number) =>
    row.row_hash?.equals(
      hashRow(keys, { record, block: block.number, place }, row.content, row.personal_hash),
    ) === true
  for (const [n, row] of rows.entries()) {
    const place = n + 1
    if (!fits(row, row.place)) {
      const isMoved = rows.some((_, other) => fits(row, other + 1))
      const isBeside = row.place < place
      return { damage: isMoved ? 'moved' : isBeside ? 'inserted' : 'changed', place: row.place, row }
    }
    if (row.place > place) return { damage: 'removed', place }
    if (row.place < place) return { damage: 'inserted', place: row.place, row }
    const personal = personalState({ keys, keyRing }, row, chain)
    if (personal === 'changed') return { damage: 'changed', place, row }
    if (personal === 'unreadable') report(row)
  }
  if (rows.length < block.rows) return { damage: 'removed', place: rows.length + 1 }
  const extra = rows[block.rows]
  return extra && { damage: 'inserted', place: extra.place, row: extra }
}

const stateOf = (isIntact: boolean) => (isIntact ? 'intact' : 'changed')

function personalState(
  { keys, keyRing }: { keys: ChainKeys; keyRing: KeyRing },
  { personal, salt, personal_hash, may_be_erased }: Row,
  chain: Chain,
): 'intact' | 'unreadable' | 'changed' {
  if (personal_hash === null) return stateOf(personal === null && salt === null)
  if (personal === null || salt === null) return stateOf(personal === null && salt === null && may_be_erased)
  try {
    return stateOf(hashPersonalValues(keys, salt, chain.open(keyRing, personal)).equals(personal_hash))
  } catch (error) {
    // A key that is missing is noticed at the start of each command.
    if (!(error instanceof UnreadableValue)) throw error
    return hashUndecryptableValues(keys, salt, personal).equals(personal_hash) ? 'unreadable' : 'changed'
  }
}
