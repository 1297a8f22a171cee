/**
 * Whether PostgreSQL itself refused a statement for what it says (a constraint, a trigger). A server out of reach,
 * short of connections or disk, or shutting down (SQLSTATE classes 08, 53, 57 and 58) is not that, nor is a broken
 * connection: Node.js calls one EPIPE.
 */
export function isRefusedByDatabase(error: unknown): boolean {
  const code = sqlState(error)
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(E|08|53|57|58)/.test(code)
}

/** Whether a statement was refused because a unique value is taken. */
export const isTaken = (error: unknown): boolean => sqlState(error) === '23505'

/** Whether a statement was refused for the values it was given (SQLSTATE class 22, "data exception"). */
export const isOfItsValues = (error: unknown): boolean => String(sqlState(error)).startsWith('22')

const sqlState = (error: unknown): unknown =>
  error instanceof Error ? Reflect.get(error, 'code') : undefined

/** Whether the database could not be asked at all: no connection, or a server that is starting or shutting down. */
export function isOutOfReach(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code: unknown = Reflect.get(cause, 'code')
    if (typeof code === 'string' && /^(E[A-Z]+|08\w{3}|57P\d{2}|53300)$/.test(code)) return true
    if (/timeout|terminated/i.test(cause.message)) return true
  }
  return false
}
