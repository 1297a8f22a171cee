/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Outputs } from '../types.ts'
import type {
  ConnectClinicInput,
  DisconnectClinicInput,
  FindClinicInput,
  InviteMemberInput,
  ListConnectionsInput,
  ListMembersInput,
  RemoveMemberInput,
} from './inputs.ts'
import type {
  ConnectClinicError,
  DisconnectClinicError,
  FindClinicError,
  InviteMemberError,
  ListConnectionsError,
  ListMembersError,
  ListMembershipsError,
  RemoveMemberError,
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

  /**
   * The clinics where the account works.
   *
   * The longest first.
   *
   * Contract: `GET /api/v1/beta/clinic/membership`.
   *
   * @returns for each:
   * - `name`: Of the clinic.
   * - `role`: `admin`: also invites and removes members, and ends connections; `clinician`: does not.
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listMemberships: (
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['listMemberships'], ListMembershipsError>

  /**
   * Who works in a clinic, and who is invited.
   *
   * For its admins.
   *
   * Contract: `GET /api/v1/beta/clinic/{clinic_id}/member`.
   *
   * @returns Who works in a clinic, and who is invited.
   * - `members`: In the order of `since`.
   * - `members[].member_id`: The id of the membership.
   * - `members[].first_name`: The first name, or the full name.
   * - `members[].email`: The e-mail address.
   * - `members[].role`: `admin`: also invites and removes members, and ends connections; `clinician`: does not.
   * - `members[].since`: When it began.
   * - `invitations`: Open ones, in the order of `created_at`.
   * - `invitations[].invitation_id`: The id of the invitation.
   * - `invitations[].email`: Where the mail went.
   * - `invitations[].role`: `admin`: also invites and removes members, and ends connections; `clinician`: does not.
   * - `invitations[].created_at`: When it was created, ISO 8601 in UTC.
   * - `invitations[].expires_at`: Seven days after it was sent.
   * @throws 401 `Not authorized user`: the caller works there, and is no admin
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listMembers: (
    input: ListMembersInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['listMembers'], ListMembersError>

  /**
   * Invite somebody to work in a clinic, by mail.
   *
   * For its admins. The link in the mail works once, and lives seven days. To somebody who works there it gives another
   * passkey, in place of one that was lost. An open invitation for the same e-mail is replaced. The mail is Korean or
   * English, by `Accept-Language`.
   *
   * Contract: `POST /api/v1/beta/clinic/{clinic_id}/member`.
   *
   * @param input
   * - `email`: Such as `doctor@clinic.example.org`. At most 320 characters.
   * - `role`: `admin`: also invites and removes members, and ends connections; `clinician`: does not.
   * @returns An invitation to a clinic that nobody has accepted yet.
   * - `invitation_id`: The id of the invitation.
   * - `email`: Where the mail went.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `expires_at`: Seven days after it was sent.
   * @throws 400 `Email is not valid`: it is not an e-mail address
   * @throws 401 `Not authorized user`: the caller works there, and is no admin
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 429 `Too many requests`: 10 invitations of one account within a day
   * @throws 500 `Email send failed`: the mail server failed, and the invitation is void
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  inviteMember: (
    input: InviteMemberInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['inviteMember'], InviteMemberError>

  /**
   * End somebody’s work in a clinic.
   *
   * By an admin, who may also mean themselves. The next request of the member for a child of the clinic is refused.
   *
   * Contract: `DELETE /api/v1/beta/clinic/{clinic_id}/member/{member_id}`.
   *
   * @throws 401 `Not authorized user`: the caller works there, and is no admin
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 404 `Member not found`: nobody who works there has this id
   * @throws 409 `Last admin`: it is the only admin of the clinic
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  removeMember: (input: RemoveMemberInput, options?: CallOptions) => CompanionCall<Done, RemoveMemberError>
}

export const clinicsMethods: Record<keyof ClinicsOperations, MethodKind> = {
  find: queryMethod,
  connect: mutationMethod,
  listConnections: queryMethod,
  disconnect: mutationMethod,
  listMemberships: queryMethodWithoutInput,
  listMembers: queryMethod,
  inviteMember: mutationMethod,
  removeMember: mutationMethod,
}
