import { COUNTED_TREATMENT_SQL } from '../calendar/counted-treatment.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'
import { rowsFor, searchableChildren, pageOf, rowsNamed } from './search.ts'
import type { Find } from './search.ts'

interface Row {
  child: number
  /** `yyyy-mm` */
  month: string
  first: string
  last: string
  ends_at: string
  updated_at: string | null
}

// As the reports: without a base station of the account there are none.
const selectMonths = statement<Row>(
  'fhir-documents',
  `SELECT c.id AS child, to_char(m.first, 'YYYY-MM') AS month, to_char(m.first, 'YYYY-MM-DD') AS first,
     to_char(m.last, 'YYYY-MM-DD') AS last, ${isoTimestampSql('m.ends_at')} AS ends_at, ${isoTimestampSql('m.updated_at')} AS updated_at
   FROM (SELECT * FROM unnest($1::int[]) AS c (id) ORDER BY id) c
   JOIN real_user r ON r.id = c.id AND EXISTS (SELECT FROM basestation b WHERE b.root_user_id = r.root_user_id)
   CROSS JOIN LATERAL (
     SELECT *, ((last + 1)::timestamp AT TIME ZONE $9::text) AS ends_at
     FROM (
       SELECT first::date, greatest(first::date, least((first + interval '1 month')::date - 1, $10::date)) AS last, updated_at
       FROM (
         SELECT date_trunc('month', treatment_date) AS first, max(updated_at) AS updated_at
         FROM child_treatments(c.id, '-infinity', 'infinity') WHERE ${COUNTED_TREATMENT_SQL} GROUP BY 1
       ) used
     ) month
   ) m
   WHERE m.ends_at >= $2::timestamptz AND m.ends_at < $3::timestamptz
     AND ($4::timestamptz IS NULL OR m.updated_at >= $4) AND ($5::timestamptz IS NULL OR m.updated_at < $5)
     AND ($6::text[] IS NULL OR to_char(m.first, 'YYYY-MM') = ANY ($6))
     AND (c.id IS DISTINCT FROM $7::int OR to_char(m.first, 'YYYY-MM') <= $8::text)
   ORDER BY c.id, m.first DESC LIMIT $11`,
)

/** The report of each calendar month with a use, the newest first. */
export const findDocuments: Find = async ({ database, make, timeZone, today, base }, wanted) => {
  const { dates, updated, after, limit } = wanted
  const rows = await database.query(selectMonths, [
    searchableChildren(wanted, 'reports:read').map(({ id }) => id),
    dates.from,
    dates.until,
    updated?.from ?? null,
    updated?.until ?? null,
    rowsNamed(wanted, 'report'),
    after?.[0] ?? null,
    after?.[3] ?? null,
    timeZone,
    today,
    rowsFor(limit),
  ])
  return pageOf(
    rows.map((month) => ({ ...month, at: '', kind: 'report', row: month.month })),
    wanted,
    ({ child, ...month }) => {
      const id = resourceId({ kind: 'report', key: `${child}-${month.month}` })
      return [
        {
          made: make.report({ ...month, real_user_id: child, url: `${base}/Binary/${id}` }),
          children: [child],
        },
      ]
    },
  )
}
