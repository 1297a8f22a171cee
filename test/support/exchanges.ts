import { note } from './observed.ts'

/** A request of a contract test with the response of the server, for the replay through a validating proxy. */
export interface Exchange {
  method: string
  /** Path with the query. */
  url: string
  headers: Record<string, string>
  body: string | null
  response: { status: number; headers: Record<string, string>; body: string }
}

/** Longest body to record: a longer one may be nested so deeply that it would crash the proxy. */
const LONGEST_BODY = 10_000

const recorded = new Set<string>()

/** Records an exchange, unless one of the same form was recorded. Other values do not make another form. */
export function record(exchange: Exchange): void {
  const { url, body, response: answer } = exchange
  const kept = isJson(exchange) ? exchange : { ...exchange, response: { ...answer, body: '' } }
  if (!url.startsWith('/api/') || (body ?? '').length > LONGEST_BODY) return
  const form = formOf(kept)
  if (recorded.has(form)) return
  recorded.add(form)
  note(`${process.pid}.exchanges`, JSON.stringify(kept))
}

/** Whether the response is JSON. Of a file, the headers alone are recorded. */
export const isJson = ({ response: answer }: Exchange): boolean =>
  answer.headers['content-type']?.startsWith('application/json') ?? false

/** The form of an exchange: operation, fields, status, and the shape of the response. */
export function formOf({ method, url, body, response: answer }: Exchange): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const path = pathname.replaceAll(/\d+/g, '0')
  const fields = [...searchParams.keys()].toSorted().join()
  return `${method} ${path}?${fields} ${shapeOf(parse(body ?? ''))} ${answer.status} ${shapeOf(parse(answer.body))}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The types and keys of a value, and the texts of errors. */
function shapeOf(value: unknown, key = ''): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map((each) => shapeOf(each)))].toSorted().join()}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, each]) => `${name}:${shapeOf(each, name)}`)
    return `{${fields.toSorted().join()}}`
  }
  return key === 'detail' || key === 'type' ? String(value) : value === null ? 'null' : typeof value
}
