import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { ALWAYS, intersectPeriods } from './period.ts'
import { rowsFor, searchableChildren, pageOf, rowsNamed } from './search.ts'
import type { Find } from './search.ts'

interface Row {
  child: number
  id: number
  attention_score: number
  impulsivity_score: number
  disorder_score: number
  created_at: string
  /** To the microsecond, by which they are ordered. */
  at: string
}

const selectSurveys = statement<Row>(
  'fhir-surveys',
  `SELECT c.id AS child, s.id, s.attention_score, s.impulsivity_score, s.disorder_score,
     ${isoTimestampSql('s.created_at')} AS created_at, to_json(s.created_at) #>> '{}' AS at
   FROM (SELECT * FROM unnest($1::int[]) AS c (id) ORDER BY id) c
   CROSS JOIN LATERAL (
     SELECT * FROM surveys_of(c.id, $2::timestamptz, $3::timestamptz) s
     WHERE ($4::int[] IS NULL OR s.id = ANY ($4))
       AND (c.id IS DISTINCT FROM $5::int OR (s.created_at, s.id) >= ($6::timestamptz, $7::int))
     ORDER BY s.created_at, s.id LIMIT $8
   ) s
   ORDER BY c.id, s.created_at, s.id LIMIT $8`,
)

/** A survey does not change: it was last updated when it was answered, which is also its date. */
export const findSurveys: Find = async ({ database, make }, wanted) => {
  const { after, limit } = wanted
  const dates = intersectPeriods(wanted.dates, wanted.updated ?? ALWAYS)
  const ids = rowsNamed(wanted, 'survey')
  const rows = await database.query(selectSurveys, [
    searchableChildren(wanted, 'surveys:read').map(({ id }) => id),
    dates.from,
    dates.until,
    // An id of a survey is no longer than that of the table.
    ids && ids.map(Number).filter((id) => id < 2 ** 31),
    ...(after ? [after[0], after[1], after[3]] : [null, null, null]),
    rowsFor(limit),
  ])
  return pageOf(
    rows.map((survey) => ({ ...survey, kind: 'survey', row: String(survey.id) })),
    wanted,
    (row) => [{ made: make.survey({ ...row, real_user_id: row.child }), children: [row.child] }],
  )
}
