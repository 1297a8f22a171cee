import { decryptEvent, NON_EMPTY_EVENT_SQL } from '../calendar/event.ts'
import type { StoredEvent } from '../calendar/event.ts'
import { parsePacked } from '../database/packed.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { nightOfNoteSql, noteUpdated } from '../fhir-resources/resources.ts'
import type { MadeResource, TreatmentRow } from '../fhir-resources/resources.ts'
import { rowsFor, searchableChildren, pageOf, rowsNamed } from './search.ts'
import type { Find, Page, Source, SearchCriteria } from './search.ts'

type Use = { kind: 'treatment' } & Omit<TreatmentRow, 'id' | 'real_user_id' | 'intensity_record'> & {
    intensities: string | null
  }
type Note = {
  kind: 'note'
  event_date: string
  saved_at: string
  updated_at: string
  night: string | null
} & StoredEvent
type Row = { child: number; at: string; row: string } & (Use | Note)

const NOTE_UPDATED = noteUpdated('c.id', '$14::text')

const UPDATED_WITHIN = (column: string) =>
  `($6::timestamptz IS NULL OR ${column} >= $6) AND ($7::timestamptz IS NULL OR ${column} < $7)`

/** Of the child in which the page begins, what comes before its place is left out. */
const FROM_PLACE = (at: string, kind: string, id: string) =>
  `(c.id IS DISTINCT FROM $9::int OR (${at}, '${kind}', ${id}) >= ($10::timestamp, $11::text, $12::bigint))`

// Of each child no more is read than a page holds, from its indexes and in their order.
const selectRecords = statement<Row>(
  'fhir-records',
  `SELECT c.id AS child, to_json(x.key) #>> '{}' AS at, x.*
   FROM (
     SELECT * FROM unnest($1::int[], $2::boolean[], $3::boolean[]) AS c (id, has_uses, has_notes) ORDER BY id
   ) c
   CROSS JOIN LATERAL (
     (
       SELECT t.treatment_date AS key, 'treatment' AS kind, t.id AS row, t.device_id,
         to_json(t.treatment_date) #>> '{}' AS treatment_date, t.treatment_time, t.movement, t.log_file_id,
         t.last_intensity, t.finish_flag, t.is_temp, nullif(array_to_string(t.intensity_record, ','), '') AS intensities,
         ${isoTimestampSql('t.updated_at')} AS updated_at,
         NULL AS event_date, NULL AS memo, NULL::jsonb AS event_data, NULL AS saved_at, NULL AS night
       FROM child_treatments(c.id, $4::timestamp, $5::timestamp) t
       WHERE c.has_uses AND ($8::bigint[] IS NULL OR t.id = ANY ($8)) AND ${UPDATED_WITHIN('t.updated_at')}
         AND ${FROM_PLACE('t.treatment_date', 'treatment', 't.id')}
         AND t.treatment_date >= CASE WHEN c.id = $9 THEN $10::timestamp ELSE '-infinity' END
       ORDER BY t.treatment_date, t.id LIMIT $13
     )
     UNION ALL
     (
       SELECT e.event_date, 'note', e.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ${isoTimestampSql(NOTE_UPDATED)},
         to_char(e.event_date, 'YYYY-MM-DD'), e.memo, e.event_data, ${isoTimestampSql('e.saved_at')},
         ${nightOfNoteSql('c.id', '$14::text')}::text
       FROM events_of(c.id, $4::date, $5::date - 1) e
       WHERE c.has_notes AND ${NON_EMPTY_EVENT_SQL} AND ($8::bigint[] IS NULL OR e.id = ANY ($8))
         AND ${UPDATED_WITHIN(NOTE_UPDATED)} AND ${FROM_PLACE('e.event_date::timestamp', 'note', 'e.id')}
       ORDER BY e.event_date, e.id LIMIT $13
     )
     ORDER BY key, kind, row LIMIT $13
   ) x
   ORDER BY c.id, x.key, x.kind, x.row LIMIT $13`,
)

const countUses = statement<{ uses: string }>(
  'fhir-count-uses',
  `SELECT count(*) AS uses FROM unnest($1::int[]) AS c (id)
   CROSS JOIN LATERAL child_treatments(c.id, $2::timestamp, $3::timestamp) t
   WHERE ($4::timestamptz IS NULL OR t.updated_at >= $4) AND ($5::timestamptz IS NULL OR t.updated_at < $5)`,
)

/** What a row of a note or a use tells, of these types of resources. */
function resourcesOf(
  { database, make }: Source,
  row: Row,
  wanted: SearchCriteria,
  types: ReadonlySet<string>,
) {
  const real_user_id = row.child
  const made: MadeResource[] =
    row.kind === 'treatment'
      ? [
          make.treatment({
            ...row,
            id: Number(row.row),
            real_user_id,
            intensity_record: parsePacked(row.intensities).map(Number),
          }),
        ]
      : make.note({
          ...row,
          ...decryptEvent(database.keyRing, row),
          id: Number(row.row),
          real_user_id,
          night_treatment_id: row.night === null ? null : Number(row.night),
        })
  return made
    .filter(({ kind, resource }) => types.has(resource.resourceType) && wanted.admits(kind))
    .map((each) => ({ made: each, children: [real_user_id] }))
}

const finder =
  (types: ReadonlySet<string>, kinds: readonly string[]): Find =>
  async (source, wanted): Promise<Page> => {
    const { dates, updated, after, limit, admits } = wanted
    const children = searchableChildren(wanted, 'usage:read', 'notes:read')
    const hasUses = kinds.includes('treatment') && admits('treatment')
    const hasNotes = kinds.some((kind) => kind !== 'treatment' && admits(kind))
    const rows = await source.database.query(selectRecords, [
      children.map(({ id }) => id),
      children.map(({ scopes }) => hasUses && scopes.has('usage:read')),
      children.map(({ scopes }) => hasNotes && scopes.has('notes:read')),
      dates.from,
      dates.until,
      updated?.from ?? null,
      updated?.until ?? null,
      rowsNamed(wanted, ...kinds),
      ...(after ? after.slice(0, 4) : [null, null, null, null]),
      rowsFor(limit),
      source.timeZone,
    ])
    return pageOf(rows, wanted, (row) => resourcesOf(source, row, wanted, types))
  }

export const OBSERVED_KINDS = ['treatment', 'note', 'note-hospital'] as const

export const findObservations = finder(new Set(['Observation']), OBSERVED_KINDS)

export const findMedications = finder(new Set(['MedicationStatement']), ['note-medication'])

/** How many uses a search admits. They may be many, and each is a resource of its own. */
export async function countMatchingUses({ database }: Source, wanted: SearchCriteria): Promise<number> {
  if (!wanted.admits('treatment')) return 0
  const { dates, updated } = wanted
  const [counted] = await database.query(countUses, [
    searchableChildren(wanted, 'usage:read').map(({ id }) => id),
    dates.from,
    dates.until,
    updated?.from ?? null,
    updated?.until ?? null,
  ])
  return Number(counted?.uses ?? 0)
}
