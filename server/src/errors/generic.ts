import type { Declared } from './failure.ts'

/** What any operation may answer, whether or not it says so (contract, "Errors", and the rules of HTTP). */
export const generic = {
  brokenJson: [400, 'Request body is not valid JSON'],
  notFound: [404, 'Resource not found'],
  methodNotAllowed: [405, 'Method Not Allowed'],
  tooLarge: [413, 'Request body is too large'],
  mediaType: [415, 'Unsupported media type'],
  tooMany: [429, 'Too many requests'],
  internal: [500, 'Internal server error. Please try again later.'],
} as const satisfies Record<string, Declared>

/** What an operation that asks for an access token answers besides. */
export const tokenErrors = [
  [401, 'Could not validate credentials'],
  [401, 'Token is expired'],
] as const satisfies readonly Declared[]

/** What an operation of an account answers when that account may not act any more. */
export const accountErrors = [
  [401, 'User is None'],
  [401, 'User is Deleted'],
  [423, 'Access denied. Account blocked'],
] as const satisfies readonly Declared[]
