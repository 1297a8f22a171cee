import { statement } from '../database/statement.ts'
import type { ListContext } from './child.ts'

type Row = [id: number, firstName: string, lastName: string, recordNumber: string | null]

/**
 * What the clinic `$2` has of the names of its children on the day `$3`, for the caller `$1`: `state` is a hash of them, and `rows` is
 * null if it is `$4`.
 */
const selectNames = statement<{ state: string | null; rows: Row[] | null }>(
  'clinic-child-names',
  `WITH named AS NOT MATERIALIZED (
     SELECT r.id, r.first_name, r.last_name, c.record_number
     FROM clinic_member m JOIN live_clinic_connections($3::date) c ON c.clinic_id = m.clinic_id JOIN real_user r ON r.id = c.real_user_id
     WHERE m.root_user_id = $1 AND m.clinic_id = $2 AND m.ended_at IS NULL
   )
   SELECT state, CASE WHEN state IS DISTINCT FROM $4 THEN
       (SELECT json_agg(json_build_array(id, first_name, last_name, record_number)) FROM named) END AS rows
   FROM (SELECT sum(hashtextextended(first_name, hashtextextended(last_name, id)))::text AS state FROM named) found`,
)

const MOST_ORDERS = 100
/** The last orders of clinics, the latest last: ids alone, and the hash of the stored names that they are of. */
const orders = new Map<number, { state: string; ids: readonly number[] }>()

function keepOrder(clinicId: number, state: string, ids: readonly number[]) {
  orders.delete(clinicId)
  orders.set(clinicId, { state, ids })
  for (const oldest of orders.keys()) if (orders.size > MOST_ORDERS) orders.delete(oldest)
}

const collator = new Intl.Collator('ko')
const comparable = (text: string) => text.normalize('NFC').trim().toLowerCase()

/**
 * The children of a clinic in the order of their names, or those of them who have this record number, first name or last name. Names are
 * encrypted, so that only this process can compare them. It does so once for the same names: 5,000 take some 15 ms.
 */
export async function findByName(
  { database, rootUserId, clinicId, today }: ListContext,
  search: string | undefined,
): Promise<readonly number[]> {
  const known = search === undefined ? orders.get(clinicId) : undefined
  const [found] = await database.query(selectNames, [rootUserId, clinicId, today, known?.state ?? null])
  if (!found?.state) return []
  if (known && !found.rows) return known.ids
  const { keyRing } = database
  const named = (found.rows ?? []).map(([id, firstName, lastName, recordNumber]) => ({
    id,
    first: keyRing.decrypt('real_user.first_name', firstName),
    last: keyRing.decrypt('real_user.last_name', lastName),
    record: search === undefined ? null : keyRing.decrypt('clinic_connection.record_number', recordNumber),
  }))
  const wanted = search === undefined ? undefined : comparable(search)
  const ids = named
    .filter(
      ({ first, last, record }) =>
        wanted === undefined ||
        [first, last, record ?? ''].some((text) => text !== '' && comparable(text) === wanted),
    )
    .toSorted(
      (one, other) =>
        collator.compare(one.last, other.last) ||
        collator.compare(one.first, other.first) ||
        one.id - other.id,
    )
    .map(({ id }) => id)
  if (search === undefined) keepOrder(clinicId, found.state, ids)
  return ids
}
