import type { ErrorDeclaration } from './failure.ts'

/** Errors that any operation may answer without declaring them (contract, "Errors", and the rules of HTTP). */
export const generic = {
  brokenJson: [400, 'Request body is not valid JSON'],
  notFound: [404, 'Resource not found'],
  methodNotAllowed: [405, 'Method Not Allowed'],
  inProgress: [409, 'Request is in progress'],
  tooLarge: [413, 'Request body is too large'],
  mediaType: [415, 'Unsupported media type'],
  otherInput: [422, 'Idempotency key was used for another request'],
  clientVersion: [426, 'Client version is not supported'],
  tooMany: [429, 'Too many requests'],
  internal: [500, 'Internal server error. Please try again later.'],
  partOutOfReach: [503, 'Part of the service is not available. Please try again later.'],
} as const satisfies Record<string, ErrorDeclaration>

/** Errors of requests that no operation takes, because of their form. */
export const httpErrors = {
  malformed: [400, 'Request is not valid HTTP'],
  late: [408, 'Request took too long'],
  unexpected: [417, 'Request expects what is not offered'],
  largeHeaders: [431, 'Request headers are too large'],
} as const satisfies Record<string, ErrorDeclaration>

/** Errors of `/trpc` itself. A client that sends one call a request, and no call for a file, never gets them. */
export const trpcErrors = {
  batch: [400, 'Batches are not supported'],
  file: [404, 'Files are served over REST alone'],
} as const satisfies Record<string, ErrorDeclaration>

/** Further errors of operations that require an access token. */
export const tokenErrors = [
  [401, 'Could not validate credentials'],
  [401, 'Token is expired'],
  [403, 'Insufficient scope'],
] as const satisfies readonly ErrorDeclaration[]

/** The error of operations that are for parents, or for clinicians, to an account of the other kind. */
export const otherAccountErrors = [
  [401, 'Not authorized user'],
] as const satisfies readonly ErrorDeclaration[]

/** Errors of account operations whose account is deleted, missing or blocked. */
export const accountErrors = [
  [401, 'User is None'],
  [401, 'User is Deleted'],
  [423, 'Access denied. Account blocked'],
] as const satisfies readonly ErrorDeclaration[]
