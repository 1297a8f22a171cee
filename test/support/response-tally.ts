import type { Answer } from './client.ts'

/** Counts answers by kind: `{'200': 1, '401 Token is invalid': 19}`. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const kind = status < 400 ? String(status) : `${status} ${body.detail}`
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}
