import type { OperationPath } from '@companion/server/router'
import { errorResponseOf } from './errors.ts'
import { PERMANENT_ERRORS } from './operations/kinds.ts'
import { sendQueuedEvent } from './send-queued-event.ts'
import type { OutboxError, OutboxItem, StoredOutbox } from './stored-outbox.ts'
import type { CompanionTrpc } from './types.ts'

/** The service's verdict on an item: stored, or refused for good. */
export type SendOutcome = readonly [item: OutboxItem, error: OutboxError | undefined]

const OPERATIONS = {
  event: 'calendar.saveEvent',
  devlog: 'devlogs.upload',
  firmware: 'firmware.report',
} as const

/**
 * Sends one note, one report, or logs of one device, in the name of `account` only. Throws errors that say nothing final about the
 * items: no response came, the service has an issue, or the account is no longer signed in.
 */
export async function sendQueued(
  trpc: CompanionTrpc,
  box: StoredOutbox,
  batch: readonly OutboxItem[],
  account: number,
): Promise<SendOutcome[]> {
  try {
    const [first] = batch
    if (first?.kind === 'event') {
      await carryVersion(box, first, await sendQueuedEvent(trpc, first, account))
      return [[first, undefined]]
    }
    if (first?.kind === 'firmware') {
      await trpc.firmware.report.mutate(first.input, { context: { account } })
      return [[first, undefined]]
    }
    const { results } = await trpc.devlogs.upload.mutate(
      { items: batch.flatMap((item) => (item.kind === 'devlog' ? [item.input] : [])) },
      { context: { account, headers: { prefer: 'handling=lenient' } } },
    )
    return batch.map((item, position) => {
      const result = results?.find(({ index }) => index === position)
      return [item, result?.status === 'rejected' ? { detail: result.detail ?? '' } : undefined]
    })
  } catch (error) {
    const [first] = batch
    const refused = first && permanentError(error, OPERATIONS[first.kind])
    if (!refused) throw error
    return batch.map((item) => [item, refused])
  }
}

/**
 * Notes made without network demand the version that existed before the first of them. The first note keeps that
 * version until it is removed: if the app were killed here, it would be sent again and would hand the version to the
 * notes that lack it.
 */
async function carryVersion(
  box: StoredOutbox,
  sent: Extract<OutboxItem, { kind: 'event' }>,
  version: string | undefined,
): Promise<void> {
  const { version: demanded } = sent.input
  if (demanded === undefined || version === undefined) return
  for (const item of await box.items()) {
    if (item.id !== sent.id && item.kind === 'event' && item.input.version === demanded) {
      await box.replace({ ...item, input: { ...item.input, version } })
    }
  }
}

/**
 * The errors that the service declares as final for this operation. Anything else, such as a database that takes no
 * writes or the text of a proxy, may be over at the next try.
 */
function permanentError(error: unknown, operation: OperationPath): OutboxError | undefined {
  const { status, detail } = errorResponseOf(error) ?? {}
  if (status === 422 && Array.isArray(detail)) return { status, detail: JSON.stringify(detail) }
  if (typeof status !== 'number' || typeof detail !== 'string') return undefined
  return PERMANENT_ERRORS[operation]?.includes(`${status} ${detail}`) ? { status, detail } : undefined
}
