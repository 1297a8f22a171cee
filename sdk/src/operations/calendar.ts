/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type {
  CalendarDay,
  CalendarHistory,
  CalendarHistoryInput,
  SaveEventInput,
  SavedEvent,
} from '../types.ts'
import type { ReadDayInput } from './inputs.ts'
import type { HistoryCalendarError, ReadDayError, SaveEventError } from './errors.ts'

export interface CalendarOperations {
  /**
   * The days of a week, month, quarter or year that have a treatment or an event.
   *
   * Days are ascending. Weeks run from Sunday to Saturday, and week 1 holds 1 January. A treatment counts when it is
   * temporary or lasted 120 seconds, an event when it says something. A week that the year does not have is an empty
   * list.
   *
   * Contract: `GET /api/v1/beta/event/history`.
   *
   * @param input
   * - `select_mode`: 0: week, 1: month, 2: quarter, 3: year. Default: 0.
   * - `year`: 1 to 9999; 0: the current year. Default: 0.
   * - `select_data`: Number of the week (to 54), month (to 12) or quarter (to 4); 0: the current one; no use with a
   *   year. Default: 0.
   * @returns for each:
   * - `date`: The day.
   * - `is_devlog`: 1: a treatment.
   * - `is_event`: 1: an event.
   * @throws 400 `Invalid mode`: `select_mode` is not 0 to 3
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 422 `select_data for mode 0 (week) must be between 0 and 54`
   * @throws 422 `select_data for mode 1 (month) must be between 0 and 12`
   * @throws 422 `select_data for mode 2 (quarter) must be between 0 and 4`
   * @throws 422 `The year must be between 1 and 9999`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  history: (
    input: CalendarHistoryInput,
    options?: CallOptions,
  ) => CompanionCall<CalendarHistory, HistoryCalendarError>

  /**
   * One day of a child: its treatments and its note (event).
   *
   * The treatments are those that `calendar.history` counts, at most the 2,000 newest. Send the version of the event
   * when you save it, to learn of a change in between.
   *
   * Contract: `GET /api/v1/beta/event`.
   *
   * @param input
   * - `event_date`: Send the date where the user is: without it, it is today in the time zone of the service. Such as
   *   `2026-03-01`.
   * @returns A day of a child.
   * - `real_user_id`: The id of the child.
   * - `event_id`: Null without an event.
   * - `treatment_data`: The treatments, ascending.
   * - `treatment_data[].treatment_date`: The device's wall clock, ISO 8601 without zone.
   * - `treatment_data[].treatment_time`: Seconds.
   * - `treatment_data[].last_intensity`: The last intensity used.
   * - `treatment_data[].is_temp`: The last log has not arrived: the treatment still runs, or has ended if 12 hours have
   *   passed since what is recorded.
   * - `memo`: Empty without an event; null for a service without `notes:read`.
   * - `event_data`: Medication taken and hospitals visited.
   * - `event_data.medication`: Medication taken. At most 100. Default: [].
   * - `event_data.medication[].medication_name`: The name of the medication. At most 200 characters.
   * - `event_data.medication[].medication_dose`: In the unit the family uses for it. From 0.
   * - `event_data.hospital`: Names of hospitals. At most 100. Default: [].
   * - `version`: The version of the event. Over REST it is the header `ETag` instead.
   * @throws 400 `Failed to read detail event`: no such child, or it was deleted
   * @throws 401 `Not authorized user`: the child belongs to another account
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  readDay: (input: ReadDayInput, options?: CallOptions) => CompanionCall<CalendarDay, ReadDayError>

  /**
   * Save a note: create or update the event of a child's day.
   *
   * Without `event_id`, the event of the date is replaced whole: what is left out becomes empty. With it, that event
   * keeps what is left out and moves to `created_at`. Empty lists and no memo empty an event. The service keeps what a
   * change replaces.
   *
   * `outbox.saveEvent` does the same with or without network.
   *
   * Contract: `POST /api/v1/beta/event`.
   *
   * @param input
   * - `created_at`: The date of the event. Such as `2026-03-01`.
   * - `memo`: At most 1,000 characters.
   * - `event_data.medication`: At most 100. Default: [].
   * - `event_data.medication[].medication_name`: At most 200 characters.
   * - `event_data.medication[].medication_dose`: In the unit the family uses for it. From 0.
   * - `event_data.hospital`: At most 100. Default: [].
   * - `version`: The version that the event must still have, as reading or saving it answered. Over REST send it as
   *   `If-Match` instead. At most 100 characters.
   * @returns The event of a day, as it is now.
   * - `event_id`: The id of the event.
   * - `real_user_id`: The id of the child.
   * - `memo`: What somebody noted.
   * - `event_data`: Medication taken and hospitals visited.
   * - `event_data.medication`: Medication taken. At most 100. Default: [].
   * - `event_data.medication[].medication_name`: The name of the medication. At most 200 characters.
   * - `event_data.hospital`: Names of hospitals. At most 100. Default: [].
   * - `version`: The version of the event. Over REST it is the header `ETag` instead.
   * @throws 400 `Failed to store user event`: another event has that date, or the database refused
   * @throws 401 `Not authorized user`: the child belongs to another account
   * @throws 404 `Event not found`: `event_id` is no event of this child
   * @throws 404 `Real User id is not valid`: no such child, or it was deleted
   * @throws 412 `Event was changed meanwhile`: the event has another version, or is not there
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  saveEvent: (input: SaveEventInput, options?: CallOptions) => CompanionCall<SavedEvent, SaveEventError>
}

export const calendarMethods: Record<keyof CalendarOperations, MethodKind> = {
  history: queryMethod,
  readDay: queryMethod,
  saveEvent: mutationMethod,
}
