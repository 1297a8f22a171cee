/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { itemsMutationMethod, mutationMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Basestation, ConnectedBasestation, Done, EnvironmentReading, Outputs } from '../types.ts'
import type { ConnectBasestationInput, DisconnectBasestationInput } from './inputs.ts'
import type {
  ConnectBasestationError,
  DisconnectBasestationError,
  ListBasestationError,
  UploadEnvironmentError,
} from './errors.ts'

export interface BasestationsOperations {
  /**
   * Connect a base station to the account.
   *
   * Its measurements from now on belong to this account; those of an earlier owner stay with them.
   *
   * Contract: `POST /api/v1/beta/basestation`.
   *
   * @param input
   * - `serial_code`: Printed on the device: 6 to 32 of `A-Z 0-9 -`. Such as `CMP-000123`.
   * - `unique_id`: A uuid.
   * @returns A base station that is connected to the account.
   * - `basestation_id`: The id of the base station.
   * - `serial_code`: Printed on the base station.
   * - `unique_id`: The UUID that it carries.
   * - `connected_at`: When it was connected to the account.
   * @throws 400 `Serial code is not valid`: it is not 6 to 32 characters of `A-Z 0-9 -`
   * @throws 404 `Not Found Device`: no base station has this `serial_code` and `unique_id`
   * @throws 409 `Already Connected Device`: an account has it already
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  connect: (
    input: ConnectBasestationInput,
    options?: CallOptions,
  ) => CompanionCall<ConnectedBasestation, ConnectBasestationError>

  /**
   * The base stations of the account, and of the accounts that share a child with it.
   *
   * Those of the account come first; each in the order in which they were connected.
   *
   * Contract: `GET /api/v1/beta/basestation`.
   *
   * @returns for each:
   * - `basestation_id`: The id of the base station.
   * - `serial_code`: Printed on the base station.
   * - `unique_id`: Present only for your own base stations: anyone who has this id can call their endpoint.
   * - `connected_at`: When it was connected to the account.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => CompanionCall<Basestation[], ListBasestationError>

  /**
   * Disconnect a base station from the account.
   *
   * Its measurements stay with the account.
   *
   * Contract: `DELETE /api/v1/beta/basestation/{basestation_id}`.
   *
   * @throws 403 `This device does not belong to the user`: another account has it, or nobody
   * @throws 404 `Device not found`: no such base station
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  disconnect: (
    input: DisconnectBasestationInput,
    options?: CallOptions,
  ) => CompanionCall<Done, DisconnectBasestationError>

  /**
   * Upload what base stations measured.
   *
   * All or nothing. The same base station and `measured_at` again is the same reading, so an upload may be repeated as
   * often as needed. A reading belongs to the account to which the base station is connected when the reading arrives.
   *
   * Nobody needs to be signed in.
   *
   * Contract: `POST /api/v1/gamma/basestation/environment`.
   *
   * @param items At most 1,000.
   * - `unique_id`: A uuid.
   * - `measured_at`: The device's wall clock, ISO 8601 without zone. Such as `2026-03-01T21:30:00`.
   * - `temperature`: °C. From -40 to 60.
   * - `humidity`: Per cent. From 0 to 100.
   * - `brightness`: In the base station's own unit. From 0.
   * - `noise`: In the base station's own unit. From 0.
   * @returns What became of an upload.
   * - `statusCode`: The status again.
   * - `message`: What was done, in English.
   * - `results`: Only with `handling=lenient`: one for each item, in their order.
   * - `results[].index`: Position of the item, from 0.
   * - `results[].status`: `completed`: it has replaced a temporary one.
   * - `results[].detail`: Why it was rejected.
   * @throws 404 `Not Found Device`: a base station is unknown
   * @throws 409 `Not Connected Device`: a base station is connected to no account
   * @throws 429 `Too many requests`: 20 unknown base stations from one IP address within 10 minutes, or 120 uploads of
   * one base station within a minute
   */
  uploadEnvironment: (
    items: readonly EnvironmentReading[],
    options?: CallOptions,
  ) => CompanionCall<Outputs['basestations']['uploadEnvironment'], UploadEnvironmentError>
}

export const basestationsMethods: Record<keyof BasestationsOperations, MethodKind> = {
  connect: mutationMethod,
  list: queryMethodWithoutInput,
  disconnect: mutationMethod,
  uploadEnvironment: itemsMutationMethod,
}
