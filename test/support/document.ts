import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of the OpenAPI document. */
export const DOCUMENT = fileURLToPath(new URL('../../server/openapi.json', import.meta.url))

/**
 * Returns the document with no room for fields that it does not name. It lets answers have more of them, for clients
 * that outlive it, but the service must not send any.
 */
export const closedDocument = (): object => Object(closed(JSON.parse(readFileSync(DOCUMENT, 'utf8')), false))

function closed(part: unknown, isResponse: boolean): unknown {
  if (Array.isArray(part)) return part.map((each) => closed(each, isResponse))
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    closed(value, isResponse || key === 'responses' || key === 'schemas'),
  ])
  const isOpen = isResponse && 'properties' in part && !('additionalProperties' in part)
  return { ...Object.fromEntries(entries), ...(isOpen ? { additionalProperties: false } : {}) }
}
