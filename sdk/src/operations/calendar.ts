import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type { CalendarHistoryInput, CompanionTrpc, ReadDayInput, SaveEventInput } from '../types.ts'

export const calendarOperations = (trpc: CompanionTrpc) => ({
  /**
   * The days of a period that have a treatment (`is_devlog` 1) or an event (`is_event` 1), ascending. Contract: Analysis
   * and history endpoints, event/history.
   *
   * A treatment counts when it is temporary or lasted 120 seconds. Weeks run Sunday to Saturday, week 1 holds 1 January.
   *
   * @param input `select_mode` 0 week (default), 1 month, 2 quarter, 3 year; `select_data` its number, at most 54, 12 and
   * 4, or 0 (default) for the current one; `year` 1 to 9999, or 0 (default) for the current one
   * @throws 400 `Invalid mode`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 422 `select_data for mode 0 (week) must be between 0 and 54`
   * @throws 422 `select_data for mode 1 (month) must be between 0 and 12`
   * @throws 422 `select_data for mode 2 (quarter) must be between 0 and 4`
   * @throws 422 `The year must be between 1 and 9999`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  history: (input: CalendarHistoryInput, options?: CallOptions) =>
    trpc.calendar.history.query(input, rawOptions(options)),

  /**
   * One day of a child: its treatments and its event. Contract: Analysis and history endpoints, GET event.
   *
   * @param input `event_date` as `yyyy-mm-dd`. Send the date where the user is: otherwise it is today where the service is
   * @returns `event_id` is null without an event; `treatment_time` is in seconds; `version` of the event, for `saveEvent`
   * @throws 400 `Failed to read detail event`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  readDay: (input: ReadDayInput, options?: CallOptions) =>
    trpc.calendar.readDay.query(input, rawOptions(options)),

  /**
   * Creates or changes the event of a child's day. Contract: Analysis and history endpoints, POST event.
   *
   * Without `event_id` the day's event is replaced whole: what is left out becomes empty. With it, that event keeps what
   * is left out and moves to `created_at`. Empty lists and no memo empty the event.
   *
   * @param input `created_at` is the day, `yyyy-mm-dd`; `memo` of at most 1,000 characters; at most 100 medications and 100
   * hospitals, with names of at most 200 characters; `version`, as `readDay` or the
   * last `saveEvent` answered it, lets nothing be overwritten that somebody else has saved since
   * @throws 400 `Failed to store user event`: another event has that day
   * @throws 401 `Not authorized user`: another account's child
   * @throws 404 `Event not found`
   * @throws 404 `Real User id is not valid`
   * @throws 412 `Event was changed meanwhile`: the event has another `version`, or is not there
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  saveEvent: (input: SaveEventInput, options?: CallOptions) =>
    trpc.calendar.saveEvent.mutate(input, rawOptions(options)),
})
