/** The roles that an account can have towards a child. Each may do all that those before it may. */
export const roles = ['viewer', 'guardian', 'owner'] as const
export type Role = (typeof roles)[number]

/**
 * What an operation asks of its caller. `self`: it is about the caller's own account. A role: it is about children, and the
 * caller has at least this role towards each.
 */
export type Right = 'self' | Role

/** The roles that `right` admits. */
export const allowedRoles = (right: Right): readonly Role[] =>
  right === 'self' ? [] : roles.slice(roles.indexOf(right))
