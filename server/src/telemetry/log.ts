import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'

declare module '../http/context.ts' {
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

/**
 * Where a service writes its lines: together, at most a tenth of a second late, because a write for each request costs
 * as much as the request. What is left goes out when the process ends, unless it is killed.
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
