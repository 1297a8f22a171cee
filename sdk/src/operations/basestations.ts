import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type {
  CompanionTrpc,
  ConnectBasestationInput,
  DisconnectBasestationInput,
  EnvironmentReading,
} from '../types.ts'

export const basestationsOperations = (trpc: CompanionTrpc) => ({
  /**
   * Connects a base station to the account.
   *
   * @param input `serial_code` as printed on it (6 to 32 of `A-Z 0-9 -`); `unique_id`, its uuid
   * @returns `connected_at` is ISO 8601 in UTC
   * @throws 400 `Serial code is not valid`
   * @throws 404 `Not Found Device`
   * @throws 409 `Already Connected Device`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  connect: (input: ConnectBasestationInput, options?: CallOptions) =>
    trpc.basestations.connect.mutate(input, rawOptions(options)),

  /**
   * The base stations of the account, the first one connected first.
   *
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => trpc.basestations.list.query({}, rawOptions(options)),

  /**
   * Disconnects a base station; its readings so far stay with the account.
   *
   * @throws 403 `This device does not belong to the user`
   * @throws 404 `Device not found`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  disconnect: (input: DisconnectBasestationInput, options?: CallOptions) =>
    trpc.basestations.disconnect.mutate(input, rawOptions(options)),

  /**
   * Uploads what base stations measured, all or nothing, in the name of the base stations: nobody needs to be signed in.
   * The same base station and `measured_at` again is the same reading, so an upload may be repeated.
   *
   * @param items at most 1,000; `measured_at` is the base station's clock, ISO 8601 without zone; `temperature` °C,
   * `humidity` per cent, `brightness` and `noise` integers in the base station's own units
   * @throws 404 `Not Found Device`
   * @throws 409 `Not Connected Device`
   * @throws 429 `Too many requests`: after 20 unknown base stations from an address in 10 minutes
   */
  uploadEnvironment: (items: readonly EnvironmentReading[], options?: CallOptions) =>
    trpc.basestations.uploadEnvironment.mutate({ items: [...items] }, rawOptions(options)),
})
