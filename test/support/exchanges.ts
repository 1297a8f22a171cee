import { note } from './observed.ts'

/** One request of a contract test and what the server answered, for the replay through a validating proxy. */
export interface Exchange {
  method: string
  /** With the query. */
  url: string
  headers: Record<string, string>
  body: string | null
  answer: { status: number; headers: Record<string, string>; body: string }
}

const LONGEST_BODY = 10_000

const written = new Set<string>()

/** Records an exchange unless one of the same form was recorded: digits and random texts do not make another. */
export function record(exchange: Exchange): void {
  const { method, url, body, answer } = exchange
  const isReplayable =
    url.startsWith('/api/') && answer.headers['content-type']?.startsWith('application/json')
  const form = `${method} ${formOf(url)} ${formOf(body ?? '')} ${answer.status} ${formOf(answer.body)}`
  if (!isReplayable || written.has(form)) return
  written.add(form)
  note(`${process.pid}.exchanges`, JSON.stringify(exchange))
}

const formOf = (text: string) =>
  text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}|ey[\w-]+\.[\w-]+\.[\w-]+/gi, '*')
    .replaceAll(/\d+/g, '0')
    .slice(0, 2000)
