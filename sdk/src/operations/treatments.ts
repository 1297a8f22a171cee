/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { createAllPagesMethod } from '../iterations.ts'
import type { IteratingMethod } from '../iterations.ts'
import { queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { ListTreatmentsInput, TreatmentPage } from '../types.ts'
import type { ListTreatmentError } from './errors.ts'

export interface TreatmentsOperations {
  /**
   * What the devices of a child recorded, page by page.
   *
   * Ascending by date. Deleted records are left out; temporary and short ones are not. Ask again with `after` until
   * `next` is null. A device may upload an earlier night later: such a record is not on the pages that follow.
   *
   * Contract: `GET /api/v1/beta/treatment`.
   *
   * @param input
   * - `start_date`: Without it, 365 days before the last day. Such as `2026-03-01`.
   * - `end_date`: Without it, 365 days after the first day, or today where neither is sent. Such as `2026-03-01`.
   * - `after`: The `next` of the page before; without it, the first page. At most 200 characters.
   * - `limit`: The maximum number of records of a page. From 1 to 500. Default: 100.
   * @returns A page of treatments, ascending by date.
   * - `items`: The entries of this page.
   * - `items[].treatment_id`: Stays the same for the life of the record.
   * - `items[].real_user_id`: The child who wore the device.
   * - `items[].device_id`: The device that recorded it.
   * - `items[].treatment_date`: The device's wall clock, ISO 8601 without zone.
   * - `items[].treatment_time`: Seconds.
   * - `items[].movement`: How much the child moved.
   * - `items[].log_file_id`: The id of the device's log.
   * - `items[].last_intensity`: The last intensity used.
   * - `items[].finish_flag`: 1: completed, 2: power button, 3: ended by the app, 4: electrodes lost contact, 5: put on
   *   the charger, 6: factory test.
   * - `items[].is_temp`: The last log has not arrived: the treatment still runs, or has ended if 12 hours have passed
   *   since what is recorded.
   * - `items[].intensity_record`: One value every 6 minutes.
   * - `items[].intensity_record[].intensity`: One value.
   * - `next`: The `after` of the next page; null on the last.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (
    input: ListTreatmentsInput,
    options?: CallOptions,
  ) => CompanionCall<TreatmentPage, ListTreatmentError>

  /** The entries of all pages of `list`, one by one: `for await (const entry of …)`. Each page is a call. */
  all: (
    input: Omit<ListTreatmentsInput, 'after'>,
    options?: CallOptions,
  ) => AsyncIterableIterator<TreatmentPage['items'][number]>
}

export const treatmentsMethods: Record<keyof TreatmentsOperations, MethodKind | IteratingMethod> = {
  list: queryMethod,
  all: createAllPagesMethod('list'),
}
