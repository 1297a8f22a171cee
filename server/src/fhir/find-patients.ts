import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { decryptPerson } from '../encryption/person.ts'
import type { ChildRow } from '../fhir-resources/resources.ts'
import { rowsFor, searchableChildren, pageOf } from './search.ts'
import type { Find } from './search.ts'

const selectChildren = statement<ChildRow>(
  'fhir-patients',
  `SELECT id, first_name, last_name, birthdate, gender, ${isoTimestampSql('updated_at')} AS updated_at
   FROM real_user
   WHERE id = ANY ($1::int[]) AND deleted_at IS NULL AND ($2::timestamptz IS NULL OR updated_at >= $2)
     AND ($3::timestamptz IS NULL OR updated_at < $3)
   ORDER BY id LIMIT $4`,
)

export const findPatients: Find = async ({ database, make }, wanted) => {
  const { updated, limit } = wanted
  const rows = await database.query(selectChildren, [
    searchableChildren(wanted, 'child:read').map(({ id }) => id),
    updated?.from ?? null,
    updated?.until ?? null,
    rowsFor(limit),
  ])
  return pageOf(
    rows.map((child) => ({ ...child, child: child.id, at: '', kind: 'child', row: String(child.id) })),
    wanted,
    (row) => [{ made: make.patient(decryptPerson(database.keyRing, 'real_user', row)), children: [row.id] }],
  )
}
