import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

declare module './context.ts' {
  interface Context {
    log: Logger
  }
}

/**
 * A logger of JSON lines. Of an error only name, code, message and stack are written: what PostgreSQL adds (`detail`,
 * the values of a row) is personal data.
 */
export const createLogger = (level: string, destination?: DestinationStream) =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    ...(destination ? [destination] : []),
  )

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: 'not an Error' }
  const { name, message, stack, cause } = error
  const code: unknown = Reflect.get(error, 'code')
  return {
    name,
    message,
    stack,
    ...(code ? { code } : {}),
    ...(cause ? { cause: describeError(cause) } : {}),
  }
}
