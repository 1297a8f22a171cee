/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import type { CompanionFile, FileOptions } from '../file-link.ts'
import { devlogUploadMethod, fileQueryMethod, mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind, UploadOptions } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type {
  DeleteDevlogsInput,
  DeviceDay,
  DeviceDayInput,
  DeviceHistory,
  DeviceHistoryInput,
  Devlog,
  DevlogsUploaded,
  Done,
  ExportDevlogsInput,
} from '../types.ts'
import type {
  DeleteDevlogError,
  DetailDevlogError,
  ExportDevlogError,
  HistoryDevlogError,
  UploadDevlogError,
} from './errors.ts'

export interface DevlogsOperations {
  /**
   * Upload a night's usage logs.
   *
   * All or nothing, and durable once answered. The same `unique_id`, `log_file_id` and `treatment_date` again is the
   * same log, so an upload may be repeated as often as needed.
   *
   * With the option `lenient`, the service stores the good logs and sets the bad ones aside; `results` then tells which
   * are which. Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/gamma/device/devlog`.
   *
   * @param items At most 1,000.
   * - `unique_id`: A uuid.
   * - `detail_data.treatment_date`: The device's wall clock, ISO 8601 without zone. Such as `2026-03-01T21:30:00`.
   * - `detail_data.finish_flag`: 1: completed, 2: power button, 3: ended by the app, 4: electrodes lost contact, 5: put
   *   on the charger, 6: factory test.
   * - `detail_data.last_intensity`: The last intensity used. From 0 to 32,767.
   * - `detail_data.treatment_time`: Seconds. From 0 to 86,400.
   * - `detail_data.movement`: How much the child moved. From 0. Default: 0.
   * - `intensity_record`: One value every 6 minutes. At most 240.
   * - `intensity_record[].intensity`: From 0 to 32,767.
   * - `log_file_id`: Tells one log from another, together with device and `treatment_date`. From 0.
   * - `is_temp`: The treatment still runs as this is sent; its complete log will replace this one.
   * @returns What became of an upload.
   * - `statusCode`: The status again.
   * - `message`: What was done, in English.
   * - `results`: Only with `handling=lenient`: one for each item, in their order.
   * - `results[].index`: Position of the item, from 0.
   * - `results[].status`: `completed`: it has replaced a temporary one.
   * - `results[].detail`: Why it was rejected.
   * @throws 401 `Not authorized user`: the upload carries an access token, and no child of that account wears a device
   * @throws 404 `Not Found Device`: a device is unknown
   * @throws 409 `Not Connected Device`: nobody wears a device
   * @throws 413 `Request body is too large`: more than 5 MB
   * @throws 429 `Too many requests`: 20 unknown devices from one IP address within 10 minutes, or 120 uploads of one
   * device within a minute
   */
  upload: (
    items: readonly Devlog[],
    options?: UploadOptions,
  ) => CompanionCall<DevlogsUploaded, UploadDevlogError>

  /**
   * Delete all usage logs of a device.
   *
   * Deletes the logs of the child who wears the device now; those of a former wearer stay. The deletion is soft: the
   * logs vanish from every call, and the operator can restore them. The service may be configured to keep what the
   * device recorded since it was connected to its present child. `message` tells how many logs there were.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `DELETE /api/v1/gamma/device/devlog`.
   *
   * @param input
   * - `unique_id`: A uuid.
   * @throws 404 `Device Log not found`: the device is unknown or has no logs
   * @throws 500 `Internal error while deleting device logs`: the database refused the deletion
   */
  delete: (input: DeleteDevlogsInput, options?: CallOptions) => CompanionCall<Done, DeleteDevlogError>

  /**
   * The days of a week, month, quarter or year on which a device was used.
   *
   * Every log of the child who wears the device now counts, however short. An unknown device has none. Periods are
   * those of `calendar.history`.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `GET /api/v1/gamma/device/history`.
   *
   * @param input
   * - `unique_id`: A uuid. A number is accepted and names no device. Such as `7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13`.
   * - `select_mode`: 0: week, 1: month, 2: quarter, 3: year. Default: 0.
   * - `year`: 1 to 9999; 0: the current year. Default: 0.
   * - `select_data`: Number of the week (to 54), month (to 12) or quarter (to 4); 0: the current one; no use with a
   *   year. Default: 0.
   * @returns for each:
   * - `date`: The day.
   * - `is_devlog`: Always 1.
   * @throws 400 `Invalid mode`: `select_mode` is not 0 to 3
   * @throws 422 `select_data for mode 0 (week) must be between 0 and 54`
   * @throws 422 `select_data for mode 1 (month) must be between 0 and 12`
   * @throws 422 `select_data for mode 2 (quarter) must be between 0 and 4`
   * @throws 422 `The year must be between 1 and 9999`
   */
  history: (
    input: DeviceHistoryInput,
    options?: CallOptions,
  ) => CompanionCall<DeviceHistory, HistoryDevlogError>

  /**
   * The usage logs of a device on one day.
   *
   * The logs of the child who wears the device now, ascending, at most the 2000 newest of the day. There are none when
   * the child did not use the device on that day.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `GET /api/v1/gamma/device/detail`.
   *
   * @param input
   * - `unique_id`: A uuid.
   * - `event_date`: `yyyy-mm-dd`.
   * @returns A day of a device.
   * - `treatment_data`: The treatments, ascending.
   * - `treatment_data[].treatment_date`: The device's wall clock, ISO 8601 without zone.
   * - `treatment_data[].treatment_time`: Seconds.
   * - `treatment_data[].last_intensity`: The last intensity used.
   * @throws 400 `Failed to read detail event`: the device is unknown
   */
  detail: (input: DeviceDayInput, options?: CallOptions) => CompanionCall<DeviceDay, DetailDevlogError>

  /**
   * The usage logs of a device as a spreadsheet (XLSX).
   *
   * The file has three sheets: the treatments of the child who wears the device now, their intensities on the 6-minute
   * grid, and what every column means. The first two begin with the device, the initials of the child and the period;
   * the sixth row names the columns.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `GET /api/v1/gamma/device/export`.
   *
   * @param input
   * - `unique_id`: A uuid.
   * - `start_date`: The first day. Such as `2026-03-01`.
   * - `end_date`: The last day. Such as `2026-03-01`.
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`; `type` is `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`
   * @throws 404 `Device Log not found`: the device is unknown, or has no log in the period
   * @throws 500 `Internal error while deleting device logs`: the database refused the read
   */
  export: (
    input: ExportDevlogsInput,
    options?: FileOptions,
  ) => CompanionCall<CompanionFile, ExportDevlogError>
}

export const devlogsMethods: Record<keyof DevlogsOperations, MethodKind> = {
  upload: devlogUploadMethod,
  delete: mutationMethod,
  history: queryMethod,
  detail: queryMethod,
  export: fileQueryMethod,
}
