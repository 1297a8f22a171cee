import type { Database } from '../database/database.ts'
import { fhirResources } from '../fhir-resources/resources.ts'
import type { MadeResource } from '../fhir-resources/resources.ts'
import type { Context } from '../http/context.ts'
import type { DataScope } from '../http/scope.ts'
import type { Period } from './period.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'
import type { NamedRow } from '../fhir-resources/resource-id.ts'
import { today } from '../time/wall-clock.ts'

/** A child whose data the caller may read, as far as the scopes go. */
export interface ReachedChild {
  id: number
  scopes: ReadonlySet<DataScope>
  /** Whether the owner of the child calls, and nobody whom they have let in. */
  isOwn?: boolean
}

/** The place of a resource in a search: the child, what it is ordered by, the kind and the id of its row, and the part of that. */
export type Place = readonly [child: number, at: string, kind: string, row: string, part: number]

/** What a search asks for. */
export interface SearchCriteria {
  /** In the order of their ids. */
  children: readonly ReachedChild[]
  /** The account that calls for itself: its base stations are its own. */
  ownAccount: number | undefined
  /** Undefined: any. */
  ids: readonly { id: string; named: NamedRow }[] | undefined
  updated: Period | undefined
  dates: Period
  /** Whether a search by code and category admits this kind of Observation. */
  admits: (kind: string) => boolean
  after: Place | undefined
  limit: number
}

/** What a search needs to answer. */
export interface Source {
  database: Database
  make: ReturnType<typeof fhirResources>
  /** The time zone of the service. */
  timeZone: string
  /** The date there. */
  today: string
  /** The address of this API. */
  base: string
}

/** What searches of a time need, of a service that is at `base`. */
export function createSearchSource(
  { database, fhirSystem, timeZone }: Pick<Context, 'database' | 'fhirSystem' | 'timeZone'>,
  base: string,
): Source {
  const date = today(timeZone)
  const make = fhirResources({
    system: fhirSystem,
    today: date,
    refer: (type, kind, key) => `${type}/${resourceId({ kind, key })}`,
  })
  return { database, make, timeZone, today: date, base }
}

export interface Found {
  made: MadeResource
  /** The children that it tells of; first the one who wears a device now. */
  children: readonly number[]
}

export interface Page {
  found: Found[]
  /** The place of the last one, if there may be more behind it. */
  next: Place | undefined
}

export type Find = (source: Source, wanted: SearchCriteria) => Promise<Page>

interface Row {
  /** Of an order that is no child's it is 0. */
  child: number
  at: string
  kind: string
  row: string
}

/** Behind every part of a row. */
const LAST_PART = 10_000

/** How many rows are read for a page: the one that it goes on from, and one behind it, too. */
export const rowsFor = (limit: number): number => limit + 2

/**
 * Makes a page of rows that begin with the one of `after`, at most as many as `rowsFor` says. A row makes no, one or several resources.
 */
export function pageOf<Given extends Row>(
  rows: readonly Given[],
  { after, ids, limit }: Pick<SearchCriteria, 'after' | 'ids' | 'limit'>,
  make: (row: Given) => readonly Found[],
): Page {
  const asked = ids && new Set(ids.map(({ id }) => id))
  const parts = rows.flatMap((row) =>
    make(row).flatMap((found, part) => {
      const place: Place = [row.child, row.at, row.kind, row.row, part]
      const isBefore =
        after !== undefined && place.slice(0, 4).join(' ') === after.slice(0, 4).join(' ') && part <= after[4]
      return isBefore || (asked && !asked.has(resourceId(found.made))) ? [] : [{ found, place }]
    }),
  )
  const page = parts.slice(0, limit)
  const last = rows.at(-1)
  const next =
    parts.length > limit
      ? page.at(-1)?.place
      : rows.length === rowsFor(limit) && last
        ? ([last.child, last.at, last.kind, last.row, LAST_PART] as const)
        : undefined
  return { found: page.map(({ found }) => found), next }
}

/** The rows of `kind` that a search by `_id` names; null for any. */
export const rowsNamed = ({ ids }: SearchCriteria, ...kinds: readonly string[]): string[] | null =>
  ids ? ids.filter(({ named }) => kinds.includes(named.kind)).map(({ named }) => named.row) : null

/** The children in which a search can find something that `scope` opens: those that the ids name, from the place on. */
export function searchableChildren(
  { children, ids, after }: SearchCriteria,
  ...scopes: readonly DataScope[]
): ReachedChild[] {
  const named = ids && new Set(ids.map((each) => each.named.child))
  return children.filter(
    (child) =>
      scopes.some((scope) => child.scopes.has(scope)) &&
      (!named || named.has(child.id)) &&
      (!after || child.id >= after[0]),
  )
}
