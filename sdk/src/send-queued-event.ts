import { readProperty, errorResponseOf } from './errors.ts'
import type { OutboxItem } from './stored-outbox.ts'
import type { CalendarDay, CompanionTrpc, SaveEventInput } from './types.ts'

type QueuedEvent = Extract<OutboxItem, { kind: 'event' }>

/**
 * Saves a note in the name of `account` and returns the event's version. If the response to a first try was lost
 * more than a day ago, that try has made a newer version, and the service refuses the repetition of a note that demands the
 * older one. The note then counts as saved if the service has the same content.
 */
export async function sendQueuedEvent(
  { calendar }: CompanionTrpc,
  { id, input, attempt = 0 }: QueuedEvent,
  account: number,
): Promise<string | undefined> {
  const options = { context: { account } }
  // The same after a restart. Another version, or another attempt by hand, is another request.
  const key = { 'idempotency-key': `${id}.${attempt}.${input.version ?? ''}` }
  try {
    return (await calendar.saveEvent.mutate(input, { context: { account, headers: key, retries: 0 } }))
      .version
  } catch (error) {
    if (errorResponseOf(error)?.status !== 412) throw error
    const { real_user_id, created_at: event_date } = input
    const day = await calendar.readDay.query({ real_user_id, event_date }, options)
    if (!says(day, input)) throw error
    return day.version
  }
}

/** Whether the event of a day is the one that saving `input` would make. */
const says = (day: CalendarDay, { event_id, memo, event_data }: SaveEventInput): boolean =>
  day.event_id !== null &&
  (event_id === undefined || event_id === day.event_id) &&
  (memo ?? (event_id === undefined ? '' : day.memo)) === day.memo &&
  (['medication', 'hospital'] as const).every((list) =>
    alike(
      event_data || event_id === undefined ? (event_data?.[list] ?? []) : day.event_data[list],
      day.event_data[list],
    ),
  )

/** Compares values regardless of the order of an object's keys. */
function alike(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === other
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(Object(other)).length &&
    keys.every((key) => alike(readProperty(one, key), readProperty(other, key)))
  )
}
