/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { createAllPagesMethod } from '../iterations.ts'
import type { IteratingMethod } from '../iterations.ts'
import { mutationMethod, queryMethod, queryMethodWithoutInput } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Outputs } from '../types.ts'
import type {
  ConnectClinicInput,
  DisconnectClinicInput,
  FindClinicInput,
  InviteMemberInput,
  ListChildrenInput,
  ListConnectionsInput,
  ListMembersInput,
  PlanNightsInput,
  RemoveMemberInput,
  UpdatePlaceInput,
  WithdrawInvitationInput,
} from './inputs.ts'
import type {
  ConnectClinicError,
  DisconnectClinicError,
  FindClinicError,
  InviteMemberError,
  ListChildrenError,
  ListConnectionsError,
  ListMembersError,
  ListMembershipsError,
  PlanNightsError,
  RemoveMemberError,
  UpdatePlaceError,
  WithdrawInvitationError,
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
   * By the child's owner or by an admin of the clinic, who finds the id in `clinics.listChildren`. The next request of
   * the clinic for the child is refused; an owner who has not ended it gets a mail.
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
   * - `clinic_id`: The id of the clinic.
   * - `name`: Of the clinic. Such as `Seoul Sleep Clinic`.
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
   * Withdraw an invitation to work in a clinic.
   *
   * For its admins, such as after a wrong address. The link of the invitation is void at once.
   *
   * Contract: `DELETE /api/v1/beta/clinic/{clinic_id}/invitation/{invitation_id}`.
   *
   * @throws 401 `Not authorized user`: the caller works there, and is no admin
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 404 `Invitation not found`: the clinic has no such open invitation: it may have been accepted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  withdrawInvitation: (
    input: WithdrawInvitationInput,
    options?: CallOptions,
  ) => CompanionCall<Done, WithdrawInvitationError>

  /**
   * End somebody’s work in a clinic.
   *
   * By an admin, who may also mean themselves. The next request of the member for a child of the clinic is refused, and
   * open invitations of the clinic to that address are void.
   *
   * Contract: `DELETE /api/v1/beta/clinic/{clinic_id}/member/{member_id}`.
   *
   * @throws 401 `Not authorized user`: the caller works there, and is no admin
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 404 `Member not found`: nobody who works there has this id
   * @throws 409 `Last admin`: it is the only admin of the clinic whose account is not blocked
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  removeMember: (input: RemoveMemberInput, options?: CallOptions) => CompanionCall<Done, RemoveMemberError>

  /**
   * The children of a clinic, those that need a look first.
   *
   * For those who work there. The figures are about the 28 evenings up to yesterday's in the time zone of the service,
   * and their nights are those of `nights.insight`.
   *
   * Contract: `GET /api/v1/beta/clinic/{clinic_id}/child`.
   *
   * @param input
   * - `flag`: Only children with this flag.
   * - `sort`: `flags`: most flags first, then the longest without upload; `last_night`: the longest without a used
   *   night first; `name`: by last and first name; `since`: who came last first. Default: "flags".
   * - `search`: Only children with exactly this record number, first name or last name, in any case. 1 to 200
   *   characters.
   * - `real_user_id`: Only this child.
   * - `after`: The `next` of the page before; without it, the first page. At most 500 characters.
   * - `limit`: The most children of a page. From 1 to 200. Default: 50.
   * @returns A page of the children of a clinic.
   * - `items`: The entries of this page.
   * - `items[].real_user_id`: The id of the child.
   * - `items[].first_name`: The first name, or the full name.
   * - `items[].last_name`: The last name; may be empty.
   * - `items[].birthdate`: `yyyymmdd`.
   * - `items[].gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * - `items[].record_number`: By which the clinic knows the child. Such as `SNU-20817`.
   * - `items[].since`: When the clinic was let in.
   * - `items[].until`: The last day of the connection; null without an end.
   * - `items[].plan`: What is planned for the nights now; null without a plan.
   * - `items[].plan.nights_per_week`: How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a
   *   pause. From 0 to 7.
   * - `items[].plan.minutes`: The use in one night that reaches the goal. From 1 to 1,440.
   * - `items[].last_night`: The newest used night; null without one.
   * - `items[].last_upload_at`: When a record last arrived; null before the first.
   * - `items[].used_28`: The used nights of the 28 evenings up to yesterday’s.
   * - `items[].reached_28`: Those of them that reached the goal.
   * - `items[].median_minutes_28`: The median of them, in whole minutes; null without one.
   * - `items[].used_28_before`: The used nights of the 28 evenings before.
   * - `items[].contact_losses_28`: How often contact was lost in the 28 evenings.
   * - `items[].flags`: Why the child needs a look; empty if it does not.
   * - `items[].seen_at`: When somebody of the clinic marked the child as seen.
   * - `items[].seen_by`: The first name of that person. Such as `Dr. Lee`.
   * - `items[].connection_id`: By which an admin ends the connection; only admins of the clinic see it.
   * - `next`: For `after`; null at the end.
   * - `total`: How many children there are on all pages.
   * - `flags`: How many children of the clinic have each flag.
   * - `flags.no_upload`: How many have it.
   * - `flags.below_plan`: How many have it.
   * - `flags.falling`: How many have it.
   * - `flags.contact_loss`: How many have it.
   * - `flags.clock`: How many have it.
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  listChildren: (
    input: ListChildrenInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['listChildren'], ListChildrenError>

  /**
   * Change what a clinic has noted of a child.
   *
   * For those who work there. `is_seen` notes who has seen the child, and when, or takes that back. What is absent
   * stays.
   *
   * Contract: `PATCH /api/v1/beta/clinic/{clinic_id}/child/{real_user_id}`.
   *
   * @param input
   * - `record_number`: By which the clinic knows the child; null removes it. Such as `SNU-20817`.
   * - `is_seen`: Whether the child has been seen now.
   * @returns A child of a clinic.
   * - `real_user_id`: The id of the child.
   * - `first_name`: The first name, or the full name.
   * - `last_name`: The last name; may be empty.
   * - `birthdate`: `yyyymmdd`.
   * - `gender`: `M`: male, `F`: female, `N`: non-binary, `P`: prefers not to say.
   * - `record_number`: By which the clinic knows the child. Such as `SNU-20817`.
   * - `since`: When the clinic was let in.
   * - `until`: The last day of the connection; null without an end.
   * - `plan`: What is planned for the nights now; null without a plan.
   * - `plan.nights_per_week`: How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a pause. From
   *   0 to 7.
   * - `plan.minutes`: The use in one night that reaches the goal. From 1 to 1,440.
   * - `last_night`: The newest used night; null without one.
   * - `last_upload_at`: When a record last arrived; null before the first.
   * - `used_28`: The used nights of the 28 evenings up to yesterday’s.
   * - `reached_28`: Those of them that reached the goal.
   * - `median_minutes_28`: The median of them, in whole minutes; null without one.
   * - `used_28_before`: The used nights of the 28 evenings before.
   * - `contact_losses_28`: How often contact was lost in the 28 evenings.
   * - `flags`: Why the child needs a look; empty if it does not.
   * - `seen_at`: When somebody of the clinic marked the child as seen.
   * - `seen_by`: The first name of that person. Such as `Dr. Lee`.
   * - `connection_id`: By which an admin ends the connection; only admins of the clinic see it.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  updatePlace: (
    input: UpdatePlaceInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['updatePlace'], UpdatePlaceError>

  /**
   * Plan the nights of a child of a clinic from an evening on.
   *
   * For those who work there. It is the plan that parents set by `plans.set`, and the one that they see: `set_by` tells
   * them that it is the clinic's.
   *
   * Contract: `PUT /api/v1/beta/clinic/{clinic_id}/child/{real_user_id}/plan`.
   *
   * @param input
   * - `nights_per_week`: How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a pause. From 0 to
   *   7.
   * - `minutes`: The use in one night that reaches the goal. From 1 to 1,440.
   * - `bedtime`: On the clock of the family. A time before noon is on the date after the evening. Null: none is
   *   planned. Default: null.
   * - `from`: The first evening; without it, today in the time zone of the service. At most 366 days before or after
   *   today. Such as `2026-03-01`.
   * @returns What is planned for a child from an evening on, until the next plan begins.
   * - `plan_id`: Its id, kept when it is replaced.
   * - `real_user_id`: The id of the child.
   * - `from`: The first evening that it is in force.
   * - `bedtime`: On the clock of the family. A time before noon is on the date after the evening. Null: none is
   *   planned.
   * - `set_by`: Who has set it last.
   * - `set_at`: When it was set last.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 404 `Clinic not found`: there is none with this id, or the caller does not work there
   * @throws 409 `Too many plans`: the child has 100 plans, and none that begins on this evening
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  planNights: (
    input: PlanNightsInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['clinics']['planNights'], PlanNightsError>

  /** The entries of all pages of `listChildren`, one by one: `for await (const entry of …)`. Each page is a call. */
  allListChildren: (
    input: Omit<ListChildrenInput, 'after'>,
    options?: CallOptions,
  ) => AsyncIterableIterator<Outputs['clinics']['listChildren']['items'][number]>
}

export const clinicsMethods: Record<keyof ClinicsOperations, MethodKind | IteratingMethod> = {
  find: queryMethod,
  connect: mutationMethod,
  listConnections: queryMethod,
  disconnect: mutationMethod,
  listMemberships: queryMethodWithoutInput,
  listMembers: queryMethod,
  inviteMember: mutationMethod,
  withdrawInvitation: mutationMethod,
  removeMember: mutationMethod,
  listChildren: queryMethod,
  updatePlace: mutationMethod,
  planNights: mutationMethod,
  allListChildren: createAllPagesMethod('listChildren'),
}
