import { z } from 'zod'

/** What a client of hawkBit says of a deployment (Direct Device Integration API, `DdiActionFeedback`), as far as it is read. */
export const feedbackFields = z.object({
  status: z.object({
    execution: z.enum([
      'closed',
      'proceeding',
      'canceled',
      'scheduled',
      'rejected',
      'resumed',
      'download',
      'downloaded',
    ]),
    result: z.object({ finished: z.enum(['success', 'failure', 'none']) }),
    details: z.array(z.string()).nullish(),
  }),
})

/** Characters of a detail that are kept. */
const MOST_KEPT = 64

/**
 * The report that a feedback stands for. `closed` is final: a failure, or else, as hawkBit takes it, a success. The last line of
 * the details is kept, without what is not printable.
 */
export function reportOf({ status }: z.infer<typeof feedbackFields>): {
  outcome: 'started' | 'installed' | 'failed' | 'refused'
  detail: string | undefined
} {
  const { execution, result, details } = status
  const detail = Array.from(
    (details?.at(-1) ?? '')
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  )
    .slice(0, MOST_KEPT)
    .join('')
  return { outcome: outcomeOf(execution, result.finished), detail: detail || undefined }
}

function outcomeOf(execution: string, finished: string) {
  if (execution === 'rejected') return 'refused'
  if (execution === 'canceled') return 'failed'
  if (execution !== 'closed') return 'started'
  return finished === 'failure' ? 'failed' : 'installed'
}
