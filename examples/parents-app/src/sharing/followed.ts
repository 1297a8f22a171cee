import type { ListedChild } from '@companion/sdk'

/** A child of another account as this phone has seen it last. */
export interface KnownChild {
  id: number
  first_name: string
}

export interface FollowedChildren {
  known: readonly KnownChild[]
  /** Those who are no longer on the list, and of whom the parent has not been told. */
  lost: readonly KnownChild[]
}

export const NOBODY: FollowedChildren = { known: [], lost: [] }

/** What is known, and who is lost, once the service has listed `family`. */
export function updateFollowed(
  { known, lost }: FollowedChildren,
  family: readonly ListedChild[],
): FollowedChildren {
  const listed = new Set(family.map(({ id }) => id))
  return {
    known: family.filter(({ role }) => role !== 'owner').map(({ id, first_name }) => ({ id, first_name })),
    lost: [...lost, ...known].filter(({ id }) => !listed.has(id)),
  }
}

/** The same without a child whom the parent has given up, or has been told of. */
export const withoutChild = ({ known, lost }: FollowedChildren, gone: number): FollowedChildren => ({
  known: known.filter(({ id }) => id !== gone),
  lost: lost.filter(({ id }) => id !== gone),
})
