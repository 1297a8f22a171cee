import type { ListedChild } from '@companion/sdk'
import type { CalendarDate } from '../time/dates'

/** A child of another account as this phone has seen it last. */
export interface Known {
  id: number
  first_name: string
  /** The first name of the owner, and the last day of the share; undefined until the service has told them. */
  owner?: string | undefined
  until?: CalendarDate | null | undefined
}

export interface Followed {
  known: readonly Known[]
  /** Those who are no longer on the list, and of whom the parent has not been told. */
  lost: readonly Known[]
}

export const NOBODY: Followed = { known: [], lost: [] }

/** What the service tells of the share of a child. */
export type Told = Pick<Known, 'owner' | 'until'>

/** What is known, and who is lost, once the service has listed `family`. `told` is by the id of the child. */
export function follow(
  { known, lost }: Followed,
  family: readonly ListedChild[],
  told: ReadonlyMap<number, Told>,
): Followed {
  const listed = new Set(family.map(({ id }) => id))
  const before = new Map(known.map((child) => [child.id, child]))
  return {
    known: family
      .filter(({ role }) => role !== 'owner')
      .map(({ id, first_name }) => Object.assign({}, before.get(id), told.get(id), { id, first_name })),
    lost: [...lost, ...known].filter(({ id }) => !listed.has(id)),
  }
}

/** The same without a child whom the parent has given up, or has been told of. */
export const without = ({ known, lost }: Followed, gone: number): Followed => ({
  known: known.filter(({ id }) => id !== gone),
  lost: lost.filter(({ id }) => id !== gone),
})
