import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type { CompanionTrpc, ConnectDeviceInput, DisconnectDeviceInput, RenameDeviceInput } from '../types.ts'

export const devicesOperations = (trpc: CompanionTrpc) => ({
  /**
   * The devices of the account, with the ids of the children who wear them.
   *
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => trpc.devices.list.query({}, rawOptions(options)),

  /**
   * Connects a device to a child that exists; `children.create` does it for a new one.
   *
   * @param input the device's codes as of `children.create`
   * @throws 400 `Serial code is not valid`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 404 `Not Found Device`
   * @throws 409 `Already Connected Device`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  connect: (input: ConnectDeviceInput, options?: CallOptions) =>
    trpc.devices.connect.mutate(input, rawOptions(options)),

  /**
   * Gives a device another name than its serial code.
   *
   * @param input `device_alias` of 1 to 100 characters
   * @throws 401 `Not authorized user`: another account's device
   * @throws 404 `Not Found Device`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  rename: (input: RenameDeviceInput, options?: CallOptions) =>
    trpc.devices.rename.mutate(input, rawOptions(options)),

  /**
   * Disconnects a device from its child; what it recorded stays with the child.
   *
   * @throws 401 `Not authorized user`: another account's device
   * @throws 404 `Not Found Device`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  disconnect: (input: DisconnectDeviceInput, options?: CallOptions) =>
    trpc.devices.disconnect.mutate(input, rawOptions(options)),
})
