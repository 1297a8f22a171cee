/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Outputs } from '../types.ts'
import type {
  ConnectClinicInput,
  DisconnectClinicInput,
  FindClinicInput,
  ListConnectionsInput,
} from './inputs.ts'
import type {
  ConnectClinicError,
  DisconnectClinicError,
  FindClinicError,
  ListConnectionsError,
} from './errors.ts'

export interface ClinicsOperations {
  /**
   * The clinic of a code.
   *
   * For the parent who has typed or scanned it: it says whom they would let in. It changes nothing.
   *
   * Contract: `GET /api/v1/beta/clinic`.
   *
   * @param input
   * - `code`: The code of the clinic; case, hyphens and spaces do not matter. Such as `7K3M-Q9RT-2WXD`. At most 100
   *   characters.
   * @returns A clinic that parents may let in.
   * - `clinic_id`: The id of the clinic.
   * - `name`: Its name. Such as `Seoul Sleep Clinic`.
   * - `url`: Where it presents itself; null without. Such as `https://clinic.example.org`.
   * @throws 404 `Clinic not found`: no clinic has this code
   * @throws 429 `Too many requests`: 10 wrong codes of one account within 15 minutes, or 100 failures of one IP address
   * within 10 minutes
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  find: (
    input: FindClinicInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['find'], FindClinicError>

  /**
   * Let a clinic in.
   *
   * All who work in the clinic may then read the child as a viewer does, and set its plan. Who of them has looked is
   * told by `shares.access`. The owner gets a notice by mail, which names the clinic.
   *
   * Contract: `POST /api/v1/beta/clinic/connection`.
   *
   * @param input
   * - `code`: The code of the clinic; case, hyphens and spaces do not matter. Such as `7K3M-Q9RT-2WXD`. At most 100
   *   characters.
   * - `until`: The last day of the connection, today or later; without it, there is no end.
   * @returns A clinic that may see a child.
   * - `connection_id`: The id of the connection.
   * - `clinic`: A clinic that parents may let in.
   * - `clinic.clinic_id`: The id of the clinic.
   * - `clinic.name`: Its name. Such as `Seoul Sleep Clinic`.
   * - `clinic.url`: Where it presents itself; null without. Such as `https://clinic.example.org`.
   * - `real_user_id`: The id of the child.
   * - `since`: When it began.
   * - `until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 404 `Clinic not found`: no clinic has this code
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 409 `Already shared`: the child is connected with this clinic
   * @throws 429 `Too many requests`: 10 wrong codes of one account within 15 minutes, or 100 failures of one IP address
   * within 10 minutes
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  connect: (
    input: ConnectClinicInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['connect'], ConnectClinicError>

  /**
   * The clinics that may see a child.
   *
   * In the order of `since`. Those that have ended are left out.
   *
   * Contract: `GET /api/v1/beta/clinic/connection`.
   *
   * @returns for each:
   * - `connection_id`: The id of the connection.
   * - `clinic`: A clinic that parents may let in.
   * - `clinic.clinic_id`: The id of the clinic.
   * - `clinic.name`: Its name. Such as `Seoul Sleep Clinic`.
   * - `clinic.url`: Where it presents itself; null without. Such as `https://clinic.example.org`.
   * - `real_user_id`: The id of the child.
   * - `since`: When it began.
   * - `until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listConnections: (
    input: ListConnectionsInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['listConnections'], ListConnectionsError>

  /**
   * End the connection of a child with a clinic.
   *
   * By the child's owner or by an admin of the clinic. The next request of the clinic for the child is refused; an
   * owner who has not ended it gets a mail.
   *
   * Contract: `DELETE /api/v1/beta/clinic/connection/{connection_id}`.
   *
   * @throws 404 `Connection not found`: no connection in force has this id, or it is another's
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  disconnect: (
    input: DisconnectClinicInput,
    options?: CallOptions,
  ) => CompanionCall<Done, DisconnectClinicError>
}

export const clinicsMethods: Record<keyof ClinicsOperations, MethodKind> = {
  find: queryMethod,
  connect: mutationMethod,
  listConnections: queryMethod,
  disconnect: mutationMethod,
}
