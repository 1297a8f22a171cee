import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** How many treatments break a rule that no constraint of the database keeps. */
export interface Inconsistencies {
  without_device: number
  without_child: number
  temporary_beside_complete: number
  /** Of several temporary records of one use, all but the longest. */
  temporary_beside_longer: number
}

const PAIRS_AT_ONCE = 10_000

// No table is joined to the treatments: where these are distributed, they lie on other machines.
const openPairs = statement(
  'check-open',
  `DECLARE pairs NO SCROLL CURSOR FOR
   SELECT device_id, real_user_id, count(*)::int AS count FROM treatment GROUP BY 1, 2`,
)
const fetchPairs = statement<{ device_id: number; real_user_id: number; count: number }>(
  'check-fetch',
  `FETCH ${PAIRS_AT_ONCE} FROM pairs`,
)
const selectLost = statement<Pick<Inconsistencies, 'without_device' | 'without_child'>>(
  'check-lost',
  `SELECT
     coalesce(sum(count) FILTER (WHERE NOT EXISTS (SELECT FROM device d WHERE d.id = p.device_id)), 0)::int AS without_device,
     coalesce(sum(count) FILTER (WHERE NOT EXISTS (
       SELECT FROM real_user r WHERE r.id = p.real_user_id AND r.deleted_at IS NULL)), 0)::int AS without_child
   FROM unnest($1::int[], $2::int[], $3::int[]) p (device_id, real_user_id, count)`,
)
const besideOther = (name: string, other: string) =>
  statement<{ count: number }>(
    name,
    `SELECT count(*)::int FROM treatment t
     WHERE t.is_temp AND t.deleted_at IS NULL AND EXISTS (
       SELECT 1 FROM treatment c WHERE c.device_id = t.device_id AND c.treatment_date = t.treatment_date
         AND c.deleted_at IS NULL AND ${other})`,
  )
const countBesideComplete = besideOther('check-beside-complete', 'NOT c.is_temp')
const countBesideLonger = besideOther(
  'check-beside-longer',
  'c.is_temp AND (c.treatment_time, t.id) > (t.treatment_time, c.id)',
)

/** Looks through all treatments, for which foreign keys would have to be paid with every upload. */
export const checkDevlogs = (database: Pick<Database, 'offload'>): Promise<Inconsistencies> =>
  database.offload((snapshot) =>
    snapshot(async (query) => {
      const found = { without_device: 0, without_child: 0 }
      await query(openPairs, [])
      for (let pairs = await query(fetchPairs, []); pairs.length > 0; pairs = await query(fetchPairs, [])) {
        const [lost] = await query(selectLost, [
          pairs.map(({ device_id }) => device_id),
          pairs.map(({ real_user_id }) => real_user_id),
          pairs.map(({ count }) => count),
        ])
        found.without_device += lost?.without_device ?? 0
        found.without_child += lost?.without_child ?? 0
      }
      const [complete] = await query(countBesideComplete, [])
      const [longer] = await query(countBesideLonger, [])
      return {
        ...found,
        temporary_beside_complete: complete?.count ?? 0,
        temporary_beside_longer: longer?.count ?? 0,
      }
    }),
  )
