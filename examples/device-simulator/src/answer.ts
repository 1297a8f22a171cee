import { parseRetryAfter } from './retry.ts'

/** What the server says about one item of a lenient upload; `index` is the item's place in that upload. */
export interface ItemResult {
  index: number
  status: 'stored' | 'duplicate' | 'completed' | 'rejected'
  detail?: unknown
}

/**
 * What one try came to: the server has the items for good; it will never take them like this; or it is not
 * known (no answer, 5xx, 429) and the device must try again, after `retryAfter` milliseconds when the server
 * said so.
 */
export type Answer =
  | { kind: 'acknowledged'; results: ItemResult[] }
  | { kind: 'refused'; status: number; detail: unknown }
  | { kind: 'failed'; status: number | null; detail: unknown; retryAfter: number | null }

/** Reads an answer of the server to an upload. */
export function readAnswer(status: number, retryAfter: string | null, body: string, now: Date): Answer {
  const content = parseJson(body)
  if (status === 200 && isObject(content) && 'statusCode' in content && content.statusCode === 200) {
    return { kind: 'acknowledged', results: readResults(content) }
  }
  const detail = isObject(content) && 'detail' in content ? content.detail : body.slice(0, 200)
  if (status === 429 || status >= 500) {
    return { kind: 'failed', status, detail, retryAfter: parseRetryAfter(retryAfter, now) }
  }
  if (status >= 200 && status < 300) {
    // The sign-in page of a hotel network answers 200 to everything. Only the service's own words count.
    return {
      kind: 'failed',
      status,
      detail: `Not an acknowledgement: ${body.slice(0, 200)}`,
      retryAfter: null,
    }
  }
  return { kind: 'refused', status, detail }
}

/** A `detail` as one readable line, whether it is a text or a list of validation errors. */
export function inWords(detail: unknown): string {
  if (typeof detail === 'string') return detail
  if (detail === undefined) return 'no detail'
  if (!Array.isArray(detail)) return JSON.stringify(detail)
  return detail
    .map((fault: unknown) => {
      if (!isObject(fault) || !('msg' in fault)) return JSON.stringify(fault)
      const place = 'loc' in fault && Array.isArray(fault.loc) ? `${fault.loc.join('.')}: ` : ''
      return place + String(fault.msg)
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
