import { property, refusalOf } from './errors.ts'
import type { CalendarDay, CompanionTrpc, SaveEventInput } from './types.ts'

/**
 * Saves a note in the name of `account` and tells the event's version. A note that demands a version is refused when it
 * is repeated, because its own first try, whose answer was lost, has made a newer one: then it counts as saved if the
 * service has what it says.
 */
export async function saveQueuedEvent(
  { calendar }: CompanionTrpc,
  input: SaveEventInput,
  account: number,
): Promise<string | undefined> {
  const options = { context: { account } }
  try {
    return (await calendar.saveEvent.mutate(input, options)).version
  } catch (error) {
    if (refusalOf(error)?.status !== 412) throw error
    const { real_user_id, created_at: event_date } = input
    const day = await calendar.readDay.query({ real_user_id, event_date }, options)
    if (!says(day, input)) throw error
    return day.version
  }
}

/** Whether the event of a day is what saving `input` makes of it. */
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

/** The order of an object's keys means nothing. */
function alike(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) return one === other
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(Object(other)).length &&
    keys.every((key) => alike(property(one, key), property(other, key)))
  )
}
