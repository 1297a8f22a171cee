import type { TestResponse } from './client.ts'

/** Counts answers by kind: `{'200': 1, '401 Token is invalid': 19}`. */
export function tally(responses: readonly TestResponse[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of responses) {
    const kind = status < 400 ? String(status) : `${status} ${body.detail}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
