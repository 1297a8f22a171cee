/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { createAllPagesMethod } from '../iterations.ts'
import type { IteratingMethod } from '../iterations.ts'
import { mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { AcceptedShare, Done, Invitation, Outputs, ShareAccessPage, Shares } from '../types.ts'
import type {
  AcceptShareInput,
  AcceptTransferInput,
  AccessShareInput,
  EndShareInput,
  InviteShareInput,
  ListShareInput,
  OfferTransferInput,
  WithdrawShareInput,
  WithdrawTransferInput,
} from './inputs.ts'
import type {
  AcceptShareError,
  AcceptTransferError,
  AccessShareError,
  EndShareError,
  InviteShareError,
  ListShareError,
  OfferTransferError,
  WithdrawShareError,
  WithdrawTransferError,
} from './errors.ts'

export interface SharesOperations {
  /**
   * Invite somebody to a child by mail.
   *
   * The link in the mail opens a page of this service, works once, and lives seven days. It may be accepted by any
   * account but the owner's, also by one with another e-mail. An open invitation for the same child and e-mail is
   * replaced. The mail is Korean or English, by `Accept-Language` or else by the country of the account.
   *
   * Contract: `POST /api/v1/beta/share/invitation`.
   *
   * @param input
   * - `role`: `guardian`: reads everything of the child, saves events, submits surveys and gets alerts; `viewer`:
   *   reads.
   * - `email`: Such as `grandmother@example.com`. At most 320 characters.
   * - `until`: The last day of the membership, today or later; without it, there is no end.
   * @returns The invitation that was sent.
   * - `invitation_id`: The id of the invitation.
   * - `email`: Where the mail went.
   * - `until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `expires_at`: Seven days after it was sent.
   * - `real_user_id`: The id of the child.
   * @throws 400 `Email is not valid`: it is not an e-mail address
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 409 `Already shared`: the account with this e-mail is a member of the child, or its owner
   * @throws 429 `Too many requests`: 10 invitations of one account within a day
   * @throws 500 `Email send failed`: the mail server failed, and the invitation is void
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  invite: (input: InviteShareInput, options?: CallOptions) => CompanionCall<Invitation, InviteShareError>

  /**
   * Accept an invitation to a child.
   *
   * The owner of the child gets a notice by mail, which names who has accepted.
   *
   * Contract: `POST /api/v1/beta/share/accept`.
   *
   * @param input
   * - `token`: The parameter `token` of the link in the mail.
   * @returns What the account is now to the child.
   * - `share_id`: The id of the share.
   * - `real_user_id`: The id of the child.
   * - `role`: `guardian`: reads everything of the child, saves events, submits surveys and gets alerts; `viewer`:
   *   reads.
   * - `until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * @throws 400 `Invitation is invalid`: it is unknown, used, withdrawn or older than seven days
   * @throws 409 `Already shared`: the child is the account's own, or the account is a member of it; the invitation
   * stays open
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  accept: (input: AcceptShareInput, options?: CallOptions) => CompanionCall<AcceptedShare, AcceptShareError>

  /**
   * Who may see a child besides its owner, and who is invited.
   *
   * Members are in the order of `since`, open invitations in that of `created_at`. A member sees their own entry alone,
   * and no invitations.
   *
   * Contract: `GET /api/v1/beta/share`.
   *
   * @returns Who may see a child besides its owner.
   * - `transfer`: An open offer of the child to a guardian.
   * - `transfer.owner`: The first name of the owner who offers.
   * - `transfer.share_id`: The membership of the guardian.
   * - `transfer.offered_at`: When the offer was made.
   * - `transfer.expires_at`: Seven days after it was made.
   * - `members`: In the order of `since`; for a member, the caller's alone.
   * - `members[].share_id`: The id of the share.
   * - `members[].role`: `guardian`: reads everything of the child, saves events, submits surveys and gets alerts;
   *   `viewer`: reads.
   * - `members[].first_name`: The first name, or the full name.
   * - `members[].email`: The e-mail address.
   * - `members[].since`: When the child was shared.
   * - `members[].until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * - `invitations`: Open ones, in the order of `created_at`; none for a member.
   * - `invitations[].invitation_id`: The id of the invitation.
   * - `invitations[].role`: `guardian`: reads everything of the child, saves events, submits surveys and gets alerts;
   *   `viewer`: reads.
   * - `invitations[].email`: Where the mail went.
   * - `invitations[].until`: The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end.
   * - `invitations[].created_at`: When it was created, ISO 8601 in UTC.
   * - `invitations[].expires_at`: Seven days after it was sent.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (input: ListShareInput, options?: CallOptions) => CompanionCall<Shares, ListShareError>

  /**
   * Withdraw an invitation.
   *
   * Its link is void at once.
   *
   * Contract: `DELETE /api/v1/beta/share/invitation/{invitation_id}`.
   *
   * @throws 404 `Invitation not found`: the account has no such open invitation: it may have been accepted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  withdraw: (input: WithdrawShareInput, options?: CallOptions) => CompanionCall<Done, WithdrawShareError>

  /**
   * End a membership.
   *
   * By the child's owner or by the member. The next request of the member is refused; one who has not ended it gets a
   * mail.
   *
   * Contract: `DELETE /api/v1/beta/share/{share_id}`.
   *
   * @throws 404 `Share not found`: no membership in force has this id, or it is another's
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  end: (input: EndShareInput, options?: CallOptions) => CompanionCall<Done, EndShareError>

  /**
   * Who but the owner has read or changed a child's data.
   *
   * Newest first: one entry for each person or service, operation and hour. An access appears here within seconds and
   * stays for a year. The owner's own are not listed.
   *
   * Contract: `GET /api/v1/beta/share/access`.
   *
   * @param input
   * - `after`: The `next` of the page before; without it, the first page. At most 200 characters.
   * - `limit`: The most entries of a page. From 1 to 500. Default: 100.
   * @returns A page of accesses, newest first.
   * - `items`: The entries of this page.
   * - `items[].at`: The beginning of the hour.
   * - `items[].kind`: `account`: a member; `clinic`: somebody of a clinic; `application`: another service.
   * - `items[].name`: The first name of the member, or the name of the service, empty once either is deleted; of
   *   somebody of a clinic `Clinic, Person`, of which the first part stays.
   * - `items[].operation`: The operationId, such as `charts.recent`.
   * - `items[].times`: How often within the hour.
   * - `next`: For `after`; null at the end.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  access: (input: AccessShareInput, options?: CallOptions) => CompanionCall<ShareAccessPage, AccessShareError>

  /**
   * Offer a child to one of its guardians.
   *
   * The guardian gets a mail, and becomes the owner of the child by `shares.acceptTransfer` within seven days. Until
   * then nothing changes. An offer ends with the guardian's membership. Offers count with the invitations of the
   * account.
   *
   * Contract: `POST /api/v1/beta/share/transfer`.
   *
   * @param input
   * - `password`: Required for an account that has a password. At most 1,000 characters.
   * - `provider`: Required, with `id_token`, for an account without a password. Such as `google`. 1 to 32 characters.
   * - `id_token`: An ID token (OpenID Connect) that is at most 10 minutes old. At most 20,000 characters.
   * - `nonce`: Required when the ID token has a `nonce`, and equal to it. At most 200 characters.
   * - `share_id`: The guardian's membership, from `shares.list`.
   * @returns The offer of a child to a guardian.
   * - `real_user_id`: The id of the child.
   * - `share_id`: The id of the share.
   * - `expires_at`: Seven days from now.
   * @throws 400 `Password is invalid`: the password is wrong
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 401 `Could not validate credentials`: the ID token is not valid
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 404 `Share not found`: no guardian of the child has this membership; a viewer cannot become its owner
   * @throws 409 `Already offered`: an offer of the child is open: withdraw it first
   * @throws 429 `Too many requests`: 10 wrong passwords within 15 minutes
   * @throws 503 `Sign-in provider is not available`: the keys of its issuer are out of reach
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  offerTransfer: (
    input: OfferTransferInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['shares']['offerTransfer'], OfferTransferError>

  /**
   * Withdraw or decline the offer of a child.
   *
   * By the owner, or by the guardian to whom the child is offered.
   *
   * Contract: `DELETE /api/v1/beta/share/transfer`.
   *
   * @throws 404 `Transfer not found`: the child is not offered to the account: it never was, the offer is older than
   * seven days, or it was withdrawn or accepted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  withdrawTransfer: (
    input: WithdrawTransferInput,
    options?: CallOptions,
  ) => CompanionCall<Done, WithdrawTransferError>

  /**
   * Become the owner of a child.
   *
   * The guardian to whom the child is offered becomes its owner, and the owner a guardian, who gets a mail. Device,
   * nights, notes and trail stay with the child, other members keep their rights, and charts keep what base stations
   * have measured around it. Open invitations and connections with clinics end, and the child leaves the grants of its
   * former owner.
   *
   * Contract: `POST /api/v1/beta/share/transfer/accept`.
   *
   * @throws 404 `Transfer not found`: the child is not offered to the account: it never was, the offer is older than
   * seven days, or it was withdrawn or accepted
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  acceptTransfer: (
    input: AcceptTransferInput,
    options?: CallOptions,
  ) => CompanionCall<Done, AcceptTransferError>

  /** The entries of all pages of `access`, one by one: `for await (const entry of …)`. Each page is a call. */
  allAccess: (
    input: Omit<AccessShareInput, 'after'>,
    options?: CallOptions,
  ) => AsyncIterableIterator<ShareAccessPage['items'][number]>
}

export const sharesMethods: Record<keyof SharesOperations, MethodKind | IteratingMethod> = {
  invite: mutationMethod,
  accept: mutationMethod,
  list: queryMethod,
  withdraw: mutationMethod,
  end: mutationMethod,
  access: queryMethod,
  offerTransfer: mutationMethod,
  withdrawTransfer: mutationMethod,
  acceptTransfer: mutationMethod,
  allAccess: createAllPagesMethod('access'),
}
