/**
 * Whether PostgreSQL itself refused a statement for what it says (a constraint, a trigger, a full disk). A server out
 * of reach or shutting down (SQLSTATE classes 08 and 57) is not that.
 */
export function isRefusedByDatabase(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57)/.test(code)
}
