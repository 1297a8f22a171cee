import type { ErrorDeclaration } from '../errors/failure.ts'

/** How long an offer may be accepted. */
export const OFFER_LIFE_MS = 7 * 86_400_000

/** The error for everybody whom no open offer of the child concerns. */
export const noTransfer = [
  404,
  'Transfer not found',
  'the child is not offered to the account: it never was, the offer is older than seven days, or it was withdrawn or accepted',
] as const satisfies ErrorDeclaration
