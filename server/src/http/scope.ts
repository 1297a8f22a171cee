/** What a parent can allow another service, by the name that OAuth knows it by. */
export const dataScopes = [
  'child:read',
  'usage:read',
  'notes:read',
  'notes:write',
  'surveys:read',
  'reports:read',
] as const
export type DataScope = (typeof dataScopes)[number]

/** All that a service may ask for; with `offline_access` it can go on without the parent. */
export const scopes = [...dataScopes, 'offline_access'] as const
export type Scope = (typeof scopes)[number]

/** The scopes of which a service needs one to call an operation. Without any, no service reaches it. */
export type AnyScope = readonly [DataScope, ...DataScope[]]
