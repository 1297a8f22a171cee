import type { Sql } from '../database/database.ts'
import type { PurgedKind } from '../retention/kinds.ts'
import { hashHead, trailChain } from './chain.ts'
import type { ChainKeys } from './chain.ts'
import { lockHead, runStatement } from './head.ts'

/** How long a partition may be waited for. Readers of the trail wait behind; the next hour tries again. */
const LOCK_MS = 500

/**
 * Provides for the rows of this month and the next, in the transaction of `tx`, and drops the months that ended more than
 * `months` ago, if their rows are all in blocks. The head of the chain says from when on there are rows. Resolves to how many
 * months were dropped.
 */
async function purgeTrail(
  tx: Sql,
  { keys, now, months }: { keys: ChainKeys; now: Date; months: number },
): Promise<number> {
  await runStatement(tx, `SET LOCAL lock_timeout = ${LOCK_MS}`, [])
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  for (const month of [now, new Date(nextMonth)])
    await runStatement(tx, 'SELECT add_trail_month($1::date)', [month.toISOString().slice(0, 10)])

  const keptSince = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
    .toISOString()
    .slice(0, 10)
  const head = await lockHead(tx, trailChain, keys)
  if (!head.isSigned) return 0
  if (head.kept_since !== null && head.kept_since >= keptSince) return 0
  const [old] = await runStatement<{ open: boolean; closed: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM trail WHERE block IS NULL AND at < $1::timestamp AT TIME ZONE 'UTC') AS open,
       EXISTS (SELECT FROM chain_block WHERE record = 'trail' AND month < $1::date) AS closed`,
    [keptSince],
  )
  if (!old?.closed || old.open) return 0
  const [kept] = await runStatement<{ first: number | null }>(
    tx,
    `SELECT min(number)::int AS first FROM chain_block WHERE record = 'trail' AND month >= $1::date`,
    [keptSince],
  )
  const first = kept?.first ?? head.last + 1
  const hash = hashHead(keys, { record: 'trail', first, last: head.last, keptSince }, head.before)
  await runStatement(
    tx,
    `UPDATE chain_head SET first_block = $1, kept_since = $2::date, hash = $3 WHERE record = 'trail'`,
    [first, keptSince, hash],
  )
  // The block before the first stays: the first is signed together with it.
  await runStatement(tx, `DELETE FROM chain_block WHERE record = 'trail' AND number < $1::bigint - 1`, [
    first,
  ])
  await runStatement(tx, `DELETE FROM trail_default WHERE at < $1::timestamp AT TIME ZONE 'UTC'`, [keptSince])
  const ended = await runStatement<{ name: string }>(
    tx,
    `SELECT c.relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
     WHERE inhparent = 'trail'::regclass AND c.relname ~ '^trail_\\d{4}_\\d\\d$' AND c.relname < $1`,
    [`trail_${keptSince.slice(0, 7).replace('-', '_')}`],
  )
  for (const { name } of ended) await runStatement(tx, `DROP TABLE ${name}`, [])
  return ended.length
}

/** The months of the trail, for `purge`. */
export const purgedTrailMonths = (
  keys: ChainKeys,
  { trailYears, retention }: { trailYears: number; retention: { trail: number | 'none' } },
): Record<string, PurgedKind> => {
  const months = retention.trail === 'none' ? 12 * trailYears : retention.trail
  return { trail_months: { take: (tx) => purgeTrail(tx, { keys, months, now: new Date() }) } }
}
