/** What the id of a resource names: the row, and of a note the part of it. */
export interface NamedRow {
  kind: string
  /** The child that the row is of, where the id says it. */
  child?: number
  /** The id of the row; of a report its month. */
  row: string
}

const OF_CHILD =
  /^(treatment|survey|note|note-hospital|note-medication)-([1-9]\d{0,9})-([1-9]\d{0,17})(?:-[1-9]\d{0,2})?$/
const OF_ITSELF = /^(child|device|basestation|account)-([1-9]\d{0,9})$/
const REPORT = /^(report)-([1-9]\d{0,9})-(\d{4}-(?:0[1-9]|1[0-2]))$/

const MOST = 2 ** 31 - 1

/** The id of a resource that is made of a row; the mapping's `kind` and `key`. */
export const resourceId = ({ kind, key }: { kind: string; key: string | number }): string => `${kind}-${key}`

/** Reads such an id; undefined for what none has. */
export function namedRow(id: string): NamedRow | undefined {
  const [, own, ownRow] = OF_ITSELF.exec(id) ?? []
  if (own !== undefined && ownRow !== undefined)
    return Number(ownRow) <= MOST
      ? { kind: own, row: ownRow, ...(own === 'child' ? { child: Number(ownRow) } : {}) }
      : undefined
  const [, kind, child, row] = OF_CHILD.exec(id) ?? REPORT.exec(id) ?? []
  if (kind === undefined || child === undefined || row === undefined || Number(child) > MOST) return undefined
  return { kind, child: Number(child), row }
}
