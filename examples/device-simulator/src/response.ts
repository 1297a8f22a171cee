import { parseRetryAfter } from './retry.ts'

/** The server's result for one item of a lenient upload; `index` is the position of the item in that upload. */
export interface ItemResult {
  index: number
  status: 'stored' | 'duplicate' | 'completed' | 'rejected'
  detail?: unknown
}

/**
 * Outcome of one try. `acknowledged`: the server has stored the items for good. `refused`: it will never take them in
 * this form. `failed`: the outcome is not known (no response, 5xx, 429), so the device must try again, after `retryAfter`
 * milliseconds if the server said so.
 */
export type DeviceResponse =
  | { kind: 'acknowledged'; results: ItemResult[] }
  | { kind: 'refused'; status: number; detail: unknown; error: string | null }
  | { kind: 'failed'; status: number | null; detail: unknown; retryAfter: number | null }

/** The parts of a response that the device reads; the headers are null if they are missing. */
interface Received {
  status: number
  retryAfter: string | null
  /** The one word of `X-Error`. */
  error: string | null
  body: string
}

/** Reads the server's response to an upload. */
export function readResponse({ status, retryAfter, error, body }: Received, now: Date): DeviceResponse {
  const content = parseJson(body)
  if (status === 200 && isObject(content) && 'statusCode' in content && content.statusCode === 200) {
    return { kind: 'acknowledged', results: readResults(content) }
  }
  const detail = isObject(content) && 'detail' in content ? content.detail : body.slice(0, 200)
  if (status === 429 || status >= 500) {
    return { kind: 'failed', status, detail, retryAfter: parseRetryAfter(retryAfter, now) }
  }
  if (status >= 200 && status < 300) {
    // The sign-in page of a hotel network answers 200 to every request. Only the service's own body acknowledges.
    return {
      kind: 'failed',
      status,
      detail: `The answer is no acknowledgement: ${body.slice(0, 200)}`,
      retryAfter: null,
    }
  }
  return { kind: 'refused', status, detail, error }
}

/** Formats a `detail`, a text or a list of validation errors, as one readable line. */
export function formatErrorDetail(detail: unknown): string {
  if (typeof detail === 'string') return detail
  if (detail === undefined) return 'no detail'
  if (!Array.isArray(detail)) return JSON.stringify(detail)
  return detail
    .map((issue: unknown) => {
      if (!isObject(issue) || !('msg' in issue)) return JSON.stringify(issue)
      const place = 'loc' in issue && Array.isArray(issue.loc) ? `${issue.loc.join('.')}: ` : ''
      return place + String(issue.msg)
    })
    .join('; ')
}

function readResults(content: object): ItemResult[] {
  if (!('results' in content) || !Array.isArray(content.results)) return []
  return content.results.filter(isItemResult)
}

function isItemResult(value: unknown): value is ItemResult {
  if (!isObject(value) || !('index' in value) || !Number.isInteger(value.index) || !('status' in value))
    return false
  const { status } = value
  return status === 'stored' || status === 'duplicate' || status === 'completed' || status === 'rejected'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
