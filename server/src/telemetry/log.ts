import { stripVTControlCharacters, styleText } from 'node:util'
import { pino } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import { z } from 'zod'

declare module '../http/context.ts' {
  interface Context {
    log: Logger
  }
}

/**
 * Creates a logger. It writes JSON lines; of an error it writes only name, code, message, stack and cause: the `detail` that
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

/** Writes log lines to a terminal for a person: time, level if it is not `info`, message, then the fields. */
export const readableOutput = (terminal: NodeJS.WriteStream): DestinationStream => ({
  write: (line) => void terminal.write(inWords(line, terminal)),
})

type Style = Parameters<typeof styleText>[0]
const styles: Partial<Record<string, Style>> = { warn: 'yellow', error: 'red', fatal: 'red', debug: 'dim' }

function inWords(line: string, stream: NodeJS.WriteStream): string {
  const { level, time, msg, err, ...fields } = logLine.parse(JSON.parse(line))
  const name = pino.levels.labels[level] ?? String(level)
  const paint = (style: Style | undefined, text: string) =>
    style ? styleText(style, text, { stream }) : text
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${plain(value)}`)
  const words = [
    paint('dim', new Date(time).toLocaleTimeString('en-GB')),
    ...(name === 'info' ? [] : [paint(styles[name], name.padEnd(5))]),
    msg,
    ...(rest.length > 0 ? [paint('dim', rest.join(' '))] : []),
  ]
  const trace = err
    ? stripVTControlCharacters(`\n${err.stack ?? err.message}`).replaceAll('\n', '\n    ')
    : ''
  return `${words.join('  ')}${trace}\n`
}

/** More are counted on a terminal: a list of all migrations would push the rest off the screen. */
const MOST_LISTED = 5

/**
 * Text that is not a plain word is quoted: it may hold characters that control the terminal. Long lists are counted, and
 * counts of zero are left out.
 */
function plain(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/+-]+$/.test(value)) return value
  if (Array.isArray(value)) return value.length > MOST_LISTED ? `(${value.length})` : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([, each]) => each !== 0)))
}

const logLine = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
})

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
