/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { ConnectedDevice, Device, DeviceTime, Done } from '../types.ts'
import type { ConnectDeviceInput, DisconnectDeviceInput, RenameDeviceInput } from './inputs.ts'
import type {
  ConnectDeviceError,
  DisconnectDeviceError,
  ListDeviceError,
  RenameDeviceError,
  TimeDeviceError,
} from './errors.ts'

export interface DevicesOperations {
  /**
   * The devices of own and shared children, with the ids of those who wear them.
   *
   * In the order of their ids. Those of shared children have no `unique_id`.
   *
   * Contract: `GET /api/v1/beta/device`.
   *
   * @returns for each:
   * - `device_id`: The id of the device.
   * - `now_firmware_id`: The firmware that it runs.
   * - `unique_id`: Present only for your own child: anyone who has this id can call the device endpoints.
   * - `serial_code`: Printed on the device.
   * - `device_alias`: Its name; the serial code until somebody renames it.
   * - `last_log_file_id`: The highest `log_file_id` received of the child who wears it; 0 without any.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `real_user_id`: The child who wears it.
   * - `connected_at`: Since when the child has worn it. Such as `2026-03-01T18:20:00.000Z`.
   * - `last_upload_at`: When it last uploaded a new record of this child; null as long as that is unknown. Such as
   *   `2026-03-02T07:12:00.000Z`.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => CompanionCall<Device[], ListDeviceError>

  /**
   * Connect a device to a child.
   *
   * For a child that exists; `children.create` does it for a new one. A device is worn by one child at a time. Its
   * records of another child stay with that child.
   *
   * Contract: `POST /api/v1/beta/device`.
   *
   * @param input
   * - `serial_code`: Printed on the device: 6 to 32 of `A-Z 0-9 -`. Such as `CMP-000123`.
   * - `mac_id`: The last 4 characters of the MAC address, upper case, without colon. Such as `1A2B`.
   * - `unique_id`: A uuid.
   * @returns A device that a child wears.
   * - `device_id`: The id of the device.
   * - `now_firmware_id`: The firmware that it runs.
   * - `unique_id`: The UUID that it carries.
   * - `serial_code`: Printed on the device.
   * - `device_alias`: Its name; the serial code until somebody renames it.
   * - `last_log_file_id`: The highest `log_file_id` received of the child who wears it; 0 without any.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `real_user_id`: The child who wears it.
   * - `connected_at`: Since when the child has worn it. Such as `2026-03-01T18:20:00.000Z`.
   * - `last_upload_at`: When it last uploaded a new record of this child; null as long as that is unknown. Such as
   *   `2026-03-02T07:12:00.000Z`.
   * @throws 400 `Serial code is not valid`: it is not 6 to 32 characters of `A-Z 0-9 -`, or its device has another
   * `mac_id`
   * @throws 401 `Not authorized user`: the account has no such child
   * @throws 404 `Not Found Device`: no device has this `serial_code` and `unique_id`
   * @throws 409 `Already Connected Device`: a child wears the device
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  connect: (
    input: ConnectDeviceInput,
    options?: CallOptions,
  ) => CompanionCall<ConnectedDevice, ConnectDeviceError>

  /**
   * Rename a device.
   *
   * A device is called by its serial code until it gets a name, and again after it is disconnected.
   *
   * Contract: `PATCH /api/v1/beta/device/{device_id}`.
   *
   * @param input
   * - `device_alias`: 1 to 100 characters.
   * @returns A device that a child wears.
   * - `device_id`: The id of the device.
   * - `now_firmware_id`: The firmware that it runs.
   * - `unique_id`: The UUID that it carries.
   * - `serial_code`: Printed on the device.
   * - `device_alias`: Its name; the serial code until somebody renames it.
   * - `last_log_file_id`: The highest `log_file_id` received of the child who wears it; 0 without any.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `real_user_id`: The child who wears it.
   * - `connected_at`: Since when the child has worn it. Such as `2026-03-01T18:20:00.000Z`.
   * - `last_upload_at`: When it last uploaded a new record of this child; null as long as that is unknown. Such as
   *   `2026-03-02T07:12:00.000Z`.
   * @throws 401 `Not authorized user`: a child of another account wears the device
   * @throws 404 `Not Found Device`: no such device, or nobody wears it
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  rename: (
    input: RenameDeviceInput,
    options?: CallOptions,
  ) => CompanionCall<ConnectedDevice, RenameDeviceError>

  /**
   * Disconnect a device from its child.
   *
   * The device is free for another child or family, under its serial code again. Its records stay with the child who
   * wore it.
   *
   * Contract: `DELETE /api/v1/beta/device/{device_id}`.
   *
   * @throws 401 `Not authorized user`: a child of another account wears the device
   * @throws 404 `Not Found Device`: no such device, or nobody wears it
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  disconnect: (
    input: DisconnectDeviceInput,
    options?: CallOptions,
  ) => CompanionCall<Done, DisconnectDeviceError>

  /**
   * The present time, for a device whose clock has stopped.
   *
   * A record whose `treatment_date` is out of range is refused with an issue of `type: "clock"`. The device then sets
   * its clock by this call, corrects the dates of its records, and sends them again.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `GET /api/v1/gamma/device/time`.
   *
   * @returns The present time, in UTC and locally.
   * - `utc`: The present time. Such as `2026-11-22T03:04:05.678Z`.
   * - `utc_offset_minutes`: How far the local time of the service is ahead of UTC now. From -1,439 to 1,439.
   */
  time: (options?: CallOptions) => CompanionCall<DeviceTime, TimeDeviceError>
}

export const devicesMethods: Record<keyof DevicesOperations, MethodKind> = {
  list: queryMethodWithoutInput,
  connect: mutationMethod,
  rename: mutationMethod,
  disconnect: mutationMethod,
  time: queryMethodWithoutInput,
}
