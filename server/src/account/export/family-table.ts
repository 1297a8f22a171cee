import { statement } from '../../database/statement.ts'
import type { RunNamedStatement, NamedStatement } from '../../database/statement.ts'
import { keyIdOf } from '../../encryption/key-ring.ts'
import type { KeyRing, EncryptedColumn } from '../../encryption/key-ring.ts'

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
  /**
   * Whether one child is read after the other, each by its index and in its order: rows come at once, however many there are.
   */
  isReadByChild: boolean
  /** The tables of the database that it shows. */
  shows: readonly string[]
  /** The encrypted columns from which fields come. */
  sealed: Readonly<Record<string, EncryptedColumn>>
  open: NamedStatement<object>
  fetch: NamedStatement<Row>
  close: NamedStatement<object>
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
 * A table of the export. `source` is SQL from FROM on, with `family`: the id of the account, an array of the ids of the chosen
 * children, if one is read after the other its id, and the time zone of the service.
 */
export function familyTable<const Columns extends Fields>(
  name: string,
  {
    fields,
    source,
    isOfAccount = false,
    isReadByChild = false,
    sealed = {},
    ...rest
  }: {
    about: string
    shows: readonly string[]
    fields: Columns
    source: string
    isOfAccount?: boolean
    isReadByChild?: boolean
    sealed?: Readonly<Record<string, EncryptedColumn>>
  },
): FamilyTable<RowOf<Columns>> {
  const columns = Object.entries(fields).map((field) => `${expression(...field)} AS ${field[0]}`)
  const cursor = `family_${name}`
  // All parameters are named, so that every table takes the same.
  const text = `DECLARE ${cursor} NO SCROLL CURSOR FOR
    WITH family AS NOT MATERIALIZED (SELECT $1::int AS account, $2::int[] AS children, ($2::int[])[1] AS child, $3::text AS zone)
    SELECT ${columns.join(', ')} ${source}`
  return {
    ...rest,
    fields,
    isOfAccount,
    isReadByChild,
    sealed,
    open: statement(`${cursor}-open`, text),
    fetch: statement(`${cursor}-fetch`, `FETCH ${ROWS_AT_ONCE} FROM ${cursor}`),
    close: statement(`${cursor}-close`, `CLOSE ${cursor}`),
  }
}

/** Whose data is exported. */
export interface Family {
  keyRing: KeyRing
  rootUserId: number
  children: readonly number[]
  /** The time zone of the service. */
  timeZone: string
}

/** Reads the rows of a table, some at a time. `query` must run in one transaction. */
export async function* rowsOf<Row extends object>(
  query: RunNamedStatement,
  { open, fetch, close, sealed, isReadByChild }: FamilyTable<Row>,
  { keyRing, rootUserId, children, timeZone }: Family,
): AsyncGenerator<Row[]> {
  const places = Object.entries(sealed)
  for (const some of isReadByChild ? children.map((child) => [child]) : [children]) {
    await query(open, [rootUserId, some, timeZone])
    for (let rows = await query(fetch, []); rows.length > 0; rows = await query(fetch, [])) {
      for (const row of rows) for (const [field, place] of places) openField(keyRing, row, field, place)
      yield rows
    }
    await query(close, [])
  }
}

/** An object is encrypted as its JSON. */
function openField(keyRing: KeyRing, row: object, field: string, place: EncryptedColumn): void {
  const stored: unknown = Reflect.get(row, field)
  if (typeof stored !== 'string' || keyIdOf(stored) === undefined) return
  const text = keyRing.decrypt(place, stored)
  Reflect.set(row, field, place.endsWith('_data') ? JSON.parse(text) : text)
}
