import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

declare module '../http/context.ts' {
  interface Context {
    log: Logger
  }
}

/**
 * Creates a logger of JSON lines. Of an error it writes only name, code, message, stack and cause: the `detail` that
 * PostgreSQL adds holds values of a row, which are personal data.
 */
export const createLogger = (level: string, destination?: DestinationStream) =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
    ...(destination ? [destination] : []),
  )

/**
 * Buffers the service's log lines for at most 100 ms, because one write per request costs as much as the request. The
 * rest is written when the process exits, unless it is killed.
 */
export const bufferedOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 100 })

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
