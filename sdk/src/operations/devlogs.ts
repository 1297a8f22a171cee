import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import { fileCall } from '../file-link.ts'
import type { FileOptions } from '../file-link.ts'
import type {
  CompanionTrpc,
  DeleteDevlogsInput,
  DeviceDayInput,
  DeviceHistoryInput,
  Devlog,
  ExportDevlogsInput,
} from '../types.ts'

export interface UploadOptions extends CallOptions {
  /** Store the good logs and set the bad ones aside, instead of all or nothing; `results` says which is which. */
  lenient?: boolean | undefined
}

export const devlogsOperations = (trpc: CompanionTrpc) => ({
  /**
   * Uploads usage logs of devices, in the name of the devices: nobody needs to be signed in. Contract: Clinical device
   * endpoints, POST devlog.
   *
   * What was answered is stored for good. The same `unique_id`, `log_file_id` and `treatment_date` again is the same
   * log, so an upload may be repeated as often as needed, after a timeout for example.
   *
   * @param items at most 1,000 logs and 5 MB. `treatment_date` is the device's clock, ISO 8601 without zone
   * (`2026-03-01T21:30:00`); `treatment_time` seconds, at most 86,400; `finish_flag` `'1'` to `'6'`; `intensity_record`
   * one value every 6 minutes, at most 240; `is_temp` marks a treatment that still runs, which the complete log replaces
   * @returns with `lenient`, `results`: one `{ index, status, detail? }` for each item, in their order
   * @throws 401 `Not authorized user`: only for a call of the raw client that carries a token
   * @throws 404 `Not Found Device`
   * @throws 409 `Not Connected Device`
   * @throws 413 `Request body is too large`
   * @throws 429 `Too many requests`: after 20 unknown devices from an address in 10 minutes
   * @throws 422 a list of what is wrong with which field
   */
  upload: (items: readonly Devlog[], { lenient, ...options }: UploadOptions = {}) =>
    trpc.devlogs.upload.mutate(
      { items: [...items] },
      rawOptions(options, lenient ? { prefer: 'handling=lenient' } : {}),
    ),

  /**
   * Deletes all logs of a device, such as those of the factory test; the operator can undo it. Contract: Clinical device
   * endpoints, DELETE devlog.
   *
   * @returns `message` carries how many there were
   * @throws 404 `Device Log not found`
   * @throws 500 `Internal error while deleting device logs`
   */
  delete: (input: DeleteDevlogsInput, options?: CallOptions) =>
    trpc.devlogs.delete.mutate(input, rawOptions(options)),

  /**
   * The days of a period on which a device was used, ascending; none for a device that is not known. Contract: Clinical
   * device endpoints, history.
   *
   * @param input the period as of `calendar.history`
   * @throws 400 `Invalid mode`
   * @throws 422 `select_data for mode 0 (week) must be between 0 and 54`
   * @throws 422 `select_data for mode 1 (month) must be between 0 and 12`
   * @throws 422 `select_data for mode 2 (quarter) must be between 0 and 4`
   * @throws 422 `The year must be between 1 and 9999`
   */
  history: (input: DeviceHistoryInput, options?: CallOptions) =>
    trpc.devlogs.history.query(input, rawOptions(options)),

  /**
   * The logs of a device on one day. Contract: Clinical device endpoints, detail.
   *
   * @param input `event_date` as `yyyy-mm-dd`
   * @returns `treatment_date` is the device's clock, `treatment_time` in seconds
   * @throws 400 `Failed to read detail event`
   */
  detail: (input: DeviceDayInput, options?: CallOptions) =>
    trpc.devlogs.detail.query(input, rawOptions(options)),

  /**
   * The logs of a device as a spreadsheet (XLSX). Contract: Clinical device endpoints, export.
   *
   * @param input `start_date` and `end_date` as `yyyy-mm-dd`, both included
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`
   * @throws 404 `Device Log not found`: none in that period
   * @throws 500 `Internal error while deleting device logs`
   */
  export: (input: ExportDevlogsInput, options?: FileOptions) =>
    fileCall(trpc.devlogs.export.query)(input, options),
})
