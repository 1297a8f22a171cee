/**
 * Whether PostgreSQL refused a statement for the values it was given: SQLSTATE class 22 (data exception), class 23
 * (constraints, which the service's own triggers raise too) or P0001 (RAISE). Only these are the caller's issue. A
 * read-only server, a missing table or permission, a deadlock, a time limit, a broken connection are the service's.
 */
export const isValueRejectedByDatabase = (error: unknown): boolean =>
  /^(2[23]\w{3}|P0001)$/.test(String(sqlState(error)))

/** Whether a statement was refused because a unique value is taken. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505'

/** Whether a statement came too late for its transaction, which an earlier one had failed. */
export const isOfFailedTransaction = (error: unknown): boolean => sqlState(error) === '25P02'

/** Whether a row's partition became another one while it was stored: it finds the new one the next time. */
export const isPartitionConstraintViolation = (error: unknown): boolean =>
  sqlState(error) === '23514' && error instanceof Error && error.message.includes('partition constraint')

/** Whether a statement would have written on a server that takes no writes. */
export const isReadOnlyServerError = (error: unknown): boolean =>
  sqlState(error) === '25006' && !isNodeUnreachable(error)

/** Whether a statement without other reasons to end gave up a lock: its time was over, or they waited for each other. */
export const isLockConflict = (error: unknown): boolean =>
  /^(57014|55P03|40P01)$/.test(String(sqlState(error)))

/**
 * Whether the server could not reach another node that holds rows of a distributed table, or was left by it, or finds that it
 * takes no writes. Others may hold those of the next statement. `FATAL` is of the server itself.
 */
export function isNodeUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || Reflect.get(error, 'severity') !== 'ERROR') return false
  const code = String(sqlState(error))
  if (code.startsWith('08')) return true
  // Citus says this when a node is lost while it promises to commit.
  if (error.message.startsWith('failure on connection marked as essential')) return true
  const isSaidOfNode = /while executing command on \S+:\d+/.test(String(Reflect.get(error, 'where')))
  // Without a response Citus knows no code.
  return (
    isSaidOfNode &&
    (/^(57P\d{2}|25006)$/.test(code) || (code === 'XX000' && /connection|server/.test(error.message)))
  )
}

/** What operating systems say of a server that cannot be reached, and PostgreSQL (classes 08 and 57P) of itself. */
const AWAY =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|08\w{3}|57P0[1-3]|53300)$/

/**
 * Whether the database, or a node of it, could not be asked, so that asking again later helps: a server that takes no writes, a
 * deadlock and a statement that takes too long are something else. `FATAL` is what it says when it ends a connection.
 */
export function isConnectionError(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (isNodeUnreachable(cause) || Reflect.get(cause, 'severity') === 'FATAL') return true
    const code: unknown = Reflect.get(cause, 'code')
    if (typeof code === 'string' ? AWAY.test(code) : isOfConnection(cause.message)) return true
  }
  return false
}

/** The driver and its pool know no codes. */
const isOfConnection = (message: string) =>
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired$|Query read timeout$)|not queryable$/.test(
    message,
  )

/** Whether a statement took longer than it may, or somebody ended it. */
export const isStatementTimeout = (error: unknown): boolean => sqlState(error) === '57014'

const sqlState = (error: unknown): unknown =>
  error instanceof Error ? Reflect.get(error, 'code') : undefined

/** Whether the database cannot be used now: it is away, or takes no writes, as a primary does that has been replaced. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (sqlState(cause) === '25006') return true
  return isConnectionError(error)
}

/** Whether a statement that several callers share failed for some of them only: by their values, or the node of their rows. */
export const isErrorOfSomeBatchedCallers = (error: unknown): boolean =>
  isOfItsValues(error) || isNodeUnreachable(error)

/** Whether a statement was refused for the values it was given (SQLSTATE class 22, "data exception"). */
const isOfItsValues = (error: unknown): boolean => String(sqlState(error)).startsWith('22')
