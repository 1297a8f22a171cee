import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type {
  CompanionTrpc,
  CreateChildInput,
  DeleteChildInput,
  ReadChildInput,
  UpdateChildInput,
} from '../types.ts'

export const childrenOperations = (trpc: CompanionTrpc) => ({
  /**
   * Makes a child account and connects its device, both or neither. Contract: User endpoints, create-real-user.
   *
   * @param input `birthdate` as `yyyymmdd`; `gender` `M`, `F`, `N` (non-binary) or `P` (prefer not to say); `last_name`
   * may be empty; `serial_code` as printed on the device (6 to 32 of `A-Z 0-9 -`); `mac_id` the last 4 characters of its
   * MAC address, uppercase, no colon; `unique_id` the device's uuid
   * @returns the child (`real_user_id`) and the device; `created_at` is ISO 8601 in UTC
   * @throws 400 `Serial code is not valid`: its form, or it does not belong to this `mac_id`
   * @throws 401 `Not authorized user`
   * @throws 404 `Not Found Device`
   * @throws 409 `Already Connected Device`
   * @throws 409 `Real user create failed`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  create: (input: CreateChildInput, options?: CallOptions) =>
    trpc.children.create.mutate(input, rawOptions(options)),

  /**
   * One child. Contract: User endpoints, GET real-user.
   *
   * @returns among others `birthdate` as `yyyymmdd`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 404 `Real user is not found`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  read: (input: ReadChildInput, options?: CallOptions) =>
    trpc.children.read.query(input, rawOptions(options)),

  /**
   * All children of the account, with or without a device.
   *
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => trpc.children.list.query({}, rawOptions(options)),

  /**
   * Changes a child's profile; what is left out stays. Contract: User endpoints, PATCH real-user.
   *
   * @param input `birthdate` as `yyyymmdd`; `gender` `M`, `F`, `N` or `P`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 404 `Real user is not found`
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  update: ({ real_user_id, ...changes }: UpdateChildInput, options?: CallOptions) =>
    trpc.children.update.mutate({ real_user_id, id: real_user_id, ...changes }, rawOptions(options)),

  /**
   * Deletes a child account for good and disconnects its devices. Contract: User endpoints, delete-real-user.
   *
   * @param input `unique_id` of a device that the child wears
   * @throws 401 `Not authorized user`: another account's child
   * @throws 404 `Real user is not found`
   * @throws 409 `Real user delete failed`: it is not the child's device
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  delete: (input: DeleteChildInput, options?: CallOptions) =>
    trpc.children.delete.mutate(input, rawOptions(options)),
})
