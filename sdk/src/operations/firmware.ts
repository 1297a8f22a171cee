/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import type { CompanionFile, FileOptions } from '../file-link.ts'
import { fileQueryMethod, mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, FirmwareCheck } from '../types.ts'
import type { CheckFirmwareInput, DownloadFirmwareInput, ReportFirmwareInput } from './inputs.ts'
import type { CheckFirmwareError, DownloadFirmwareError, ReportFirmwareError } from './errors.ts'

export interface FirmwareOperations {
  /**
   * Ask whether a device is offered another firmware.
   *
   * The phone loads it by `firmware.download`, carries it to the device, and reports by `firmware.report`. Nothing is
   * offered while the device is in use.
   *
   * Contract: `GET /api/v1/beta/ota`.
   *
   * @returns What a device runs, and what it is offered.
   * - `device_id`: The id of the device.
   * - `now_firmware_id`: The firmware that it runs.
   * - `update`: Null while nothing is offered.
   * @throws 401 `Not authorized user`: a child of another account wears the device
   * @throws 404 `Not Found Device`: no such device, or nobody wears it
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  check: (
    input: CheckFirmwareInput,
    options?: CallOptions,
  ) => CompanionCall<FirmwareCheck, CheckFirmwareError>

  /**
   * Load the firmware that a device is offered.
   *
   * The image as it was signed. A load that was cut goes on by `Range`.
   *
   * Contract: `GET /api/v1/beta/ota/file`.
   *
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`; `type` is `application/octet-stream`
   * @throws 401 `Not authorized user`: a child of another account wears the device
   * @throws 404 `Not Found Device`: no such device, or nobody wears it
   * @throws 404 `Firmware not found`: the device is not offered this firmware
   * @throws 416 `Range is not satisfiable`: the range begins after the end
   * @throws 429 `Too many requests`: the device has loaded this firmware whole five times within 24 hours
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  download: (
    input: DownloadFirmwareInput,
    options?: FileOptions,
  ) => CompanionCall<CompanionFile, DownloadFirmwareError>

  /**
   * Report what became of a firmware that the phone has carried to a device.
   *
   * The same final report again changes nothing. After `installed`, the device counts as running the firmware.
   *
   * `outbox.reportFirmware` does the same with or without network.
   *
   * Contract: `POST /api/v1/beta/ota/report`.
   *
   * @param input
   * - `firmware_id`: The firmware that was offered.
   * - `outcome`: `started`: the device has begun. The others are final. `failed`: it could not be loaded or written.
   *   `refused`: the device found it not to be right. `rolled_back`: the device runs the former one again. Such as
   *   `installed`.
   * - `stage`: Where it happened, in a word. Such as `verify`.
   * - `detail`: What happened, in a few words. Such as `wrong hash`.
   * @throws 401 `Not authorized user`: a child of another account wears the device
   * @throws 404 `Not Found Device`: no such device, or nobody wears it
   * @throws 404 `Firmware not found`: the device was never offered this firmware
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  report: (input: ReportFirmwareInput, options?: CallOptions) => CompanionCall<Done, ReportFirmwareError>
}

export const firmwareMethods: Record<keyof FirmwareOperations, MethodKind> = {
  check: queryMethod,
  download: fileQueryMethod,
  report: mutationMethod,
}
