import { statement } from '../../database/statement.ts'
import type { Query, Statement } from '../../database/statement.ts'

/** How a value stands in the export. */
interface Values {
  integer: number
  number: number
  text: string
  boolean: boolean
  /** `yyyy-mm-dd` */
  date: string
  /** A moment, ISO 8601 in UTC. */
  instant: string
  /** What the clock of a device showed, ISO 8601 without zone. */
  'wall clock': string
  'array of integers': number[]
  'array of texts': string[]
  object: object
}

type Type = keyof Values | `${keyof Values} or null`

export type Fields = Record<string, readonly [type: Type, meaning: string, from?: string]>

type ValueOf<Name> = Name extends `${infer Base extends keyof Values} or null`
  ? Values[Base] | null
  : Name extends keyof Values
    ? Values[Name]
    : never

export type RowOf<Columns extends Fields> = { [Name in keyof Columns]: ValueOf<Columns[Name][0]> }

/** One file of the export: its rows, and what they mean. */
export interface FamilyTable<Row extends object = object> {
  /** What a row is. */
  about: string
  fields: Fields
  /** Whether the rows are about the account and its home, and not about one child. */
  isOfAccount: boolean
  /** The tables of the database that it shows. */
  shows: readonly string[]
  open: Statement<object>
  fetch: Statement<Row>
  close: Statement<object>
}

/** A treatment takes some kilobytes as FHIR, and the event loop waits while they are written. */
const ROWS_AT_ONCE = 100

/** The SQL that makes the JSON value of a column. */
function expression(name: string, [type, , from = name]: Fields[string]): string {
  const [base] = type.split(' or ')
  if (base === 'date') return `to_char(${from}, 'YYYY-MM-DD')`
  if (base === 'instant') return `to_char(${from} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  if (base === 'wall clock') return `to_json(${from}) #>> '{}'`
  // PostgreSQL hands out its 64-bit numbers as texts.
  return type === 'integer' ? `(${from})::float8` : from
}

/**
 * A table of the export. `source` is SQL from FROM on; $1 is the id of the account, $2 an array of the ids of the chosen
 * children.
 */
export function familyTable<const Columns extends Fields>(
  name: string,
  {
    fields,
    source,
    isOfAccount = false,
    ...rest
  }: {
    about: string
    shows: readonly string[]
    fields: Columns
    source: string
    isOfAccount?: boolean
  },
): FamilyTable<RowOf<Columns>> {
  const columns = Object.entries(fields).map((field) => `${expression(...field)} AS ${field[0]}`)
  const cursor = `family_${name}`
  // Both parameters are named, so that every table takes the same.
  const text = `DECLARE ${cursor} NO SCROLL CURSOR FOR
    WITH family AS NOT MATERIALIZED (SELECT $1::int AS account, $2::int[] AS children)
    SELECT ${columns.join(', ')} ${source}`
  return {
    ...rest,
    fields,
    isOfAccount,
    open: statement(`${cursor}-open`, text),
    fetch: statement(`${cursor}-fetch`, `FETCH ${ROWS_AT_ONCE} FROM ${cursor}`),
    close: statement(`${cursor}-close`, `CLOSE ${cursor}`),
  }
}

/** Whose data is exported. */
export interface Family {
  rootUserId: number
  children: readonly number[]
}

/** Reads the rows of a table, some at a time. `query` must run in one transaction. */
export async function* rowsOf<Row extends object>(
  query: Query,
  { open, fetch, close }: FamilyTable<Row>,
  { rootUserId, children }: Family,
): AsyncGenerator<Row[]> {
  await query(open, [rootUserId, children])
  for (let rows = await query(fetch, []); rows.length > 0; rows = await query(fetch, [])) yield rows
  await query(close, [])
}
