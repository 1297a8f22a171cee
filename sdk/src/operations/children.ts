/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { childUpdateMethod, mutationMethod, queryMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Child, CreatedChild, Done, ListedChild, UpdateChildInput } from '../types.ts'
import type { CreateChildInput, DeleteChildInput, ReadChildInput } from './inputs.ts'
import type {
  CreateChildError,
  DeleteChildError,
  ListChildError,
  ReadChildError,
  UpdateChildError,
} from './errors.ts'

export interface ChildrenOperations {
  /**
   * Create a child account and connect its device.
   *
   * Both or neither: when the device cannot be connected, no child is created.
   *
   * Contract: `POST /api/v2/beta/user/create-real-user`.
   *
   * @param input
   * - `first_name`: 1 to 100 characters.
   * - `last_name`: May be empty. At most 100 characters.
   * - `birthdate`: `yyyymmdd`. Such as `20150131`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * - `serial_code`: Printed on the device: 6 to 32 of `A-Z 0-9 -`. Such as `CMP-000123`.
   * - `mac_id`: The last 4 characters of the MAC address, upper case, without colon. Such as `1A2B`.
   * - `unique_id`: A uuid.
   * @returns A child with the device that was connected.
   * - `first_name`: The first name, or the full name. 1 to 100 characters.
   * - `birthdate`: `yyyymmdd`.
   * - `real_user_id`: The id of the child.
   * - `device_id`: The id of the device.
   * - `now_firmware_id`: The firmware that it runs.
   * - `unique_id`: The UUID that it carries.
   * - `serial_code`: Printed on the device.
   * - `device_alias`: Its name; the serial code until somebody renames it.
   * - `last_log_file_id`: The highest `log_file_id` received of the child who wears it; 0 without any.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * @throws 400 `Serial code is not valid`: it is not 6 to 32 characters of `A-Z 0-9 -`, or its device has another
   * `mac_id`
   * @throws 401 `Not authorized user`: a parallel call has deleted the account
   * @throws 404 `Not Found Device`: no device has this `serial_code` and `unique_id`
   * @throws 409 `Already Connected Device`: a child wears the device
   * @throws 409 `Real user create failed`: the database refused the child
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  create: (input: CreateChildInput, options?: CallOptions) => CompanionCall<CreatedChild, CreateChildError>

  /**
   * The account's children, and those that others share with it, with or without a device.
   *
   * A service gets the children that were granted to it.
   *
   * Contract: `GET /api/v1/beta/user/real-user`.
   *
   * @returns for each:
   * - `id`: The child's `real_user_id`.
   * - `root_user_id`: The account that the child belongs to.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * - `role`: What the account is to the child.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (options?: CallOptions) => CompanionCall<ListedChild[], ListChildError>

  /**
   * One child.
   *
   * An own child, or one that another account shares. A service reads a child that was granted to it.
   *
   * Contract: `GET /api/v1/beta/user/real-user/{real_user_id}`.
   *
   * @returns A child account (real user).
   * - `id`: The child's `real_user_id`.
   * - `root_user_id`: The account that the child belongs to.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  read: (input: ReadChildInput, options?: CallOptions) => CompanionCall<Child, ReadChildError>

  /**
   * Change a child's profile.
   *
   * A field that is left out stays as it is.
   *
   * Contract: `PATCH /api/v1/beta/user/real-user/{real_user_id}`.
   *
   * @param input
   * - `first_name`: 1 to 100 characters.
   * - `last_name`: May be empty. At most 100 characters.
   * - `birthdate`: `yyyymmdd`. Such as `20150131`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * @returns A child account (real user).
   * - `id`: The child's `real_user_id`.
   * - `root_user_id`: The account that the child belongs to.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`.
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  update: (input: UpdateChildInput, options?: CallOptions) => CompanionCall<Child, UpdateChildError>

  /**
   * Delete a child account and disconnect its devices.
   *
   * Its personal data is erased, its history cannot be read any more, and its devices are free. Its members get a mail.
   *
   * Contract: `DELETE /api/v1/beta/user/delete-real-user`.
   *
   * @param input
   * - `unique_id`: The uuid of a device that the child wears. Such as `7b1f0c52-3a8e-4d1b-9c60-2f5e8a4d9b13`.
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 409 `Real user delete failed`: the child does not wear this device
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  delete: (input: DeleteChildInput, options?: CallOptions) => CompanionCall<Done, DeleteChildError>
}

export const childrenMethods: Record<keyof ChildrenOperations, MethodKind> = {
  create: mutationMethod,
  list: queryMethodWithoutInput,
  read: queryMethod,
  update: childUpdateMethod,
  delete: mutationMethod,
}
