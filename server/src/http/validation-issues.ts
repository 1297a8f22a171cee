import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import type { core } from 'zod'

/** One issue of one parameter or body field (contract, "Errors", 2). */
export interface ValidationIssue {
  type: string
  /** `path`, `query`, `body` or `header`, then the path to the field; array positions are digits. */
  loc: string[]
  msg: string
  /** The value that was sent, if it is a single plain value; never a secret. */
  input: string | number | boolean | null
  ctx: { error: string }
  /** A page of this server that explains `type`. */
  url: string
}

/** Converts the path to a value in the input into the `loc` in the request; a tRPC input counts as the body. */
export type LocateIssue = (path: string[]) => string[]

const SECRETS = new Set([
  'password',
  'current_password',
  'new_password',
  'refresh_token',
  'valid_token',
  'validnum',
  'token',
  'id_token',
  'push_token',
  'nonce',
])

/** The kinds of issues, with the explanations that the page at `url` shows. */
export const issueTypes = {
  missing: 'The field is required and was not sent.',
  invalid_type:
    'The value does not have the type of the field. Numbers are JSON numbers; booleans are true, false, 1 or 0.',
  invalid_format: 'The text does not have the format of the field, for example a date or a UUID.',
  invalid_value: 'The value is not one of those that the field allows.',
  too_small: 'The value is below the minimum, or the text or list is too short.',
  too_big: 'The value is above the maximum, or the text or list is too long.',
  clock:
    'The clock of the device is wrong. It gets the time from `GET /api/v1/gamma/device/time`, corrects the dates of its records, and sends them again.',
  invalid:
    'The value breaks the rule that the message names. Text must not contain NUL or half of a surrogate pair, and names and notes no control characters.',
} as const

/** Thrown for input that only a handler can validate; answered with the same 422 as an issue found by a schema. */
export class InvalidInput extends TRPCError {
  readonly issue: { code: 'custom'; path: PropertyKey[]; message: string }
  readonly place: 'header' | undefined

  constructor(path: PropertyKey[], message: string, place?: 'header') {
    super({ code: 'UNPROCESSABLE_CONTENT', message })
    this.issue = { code: 'custom', path, message }
    this.place = place
  }
}

/** The maximum number of issues that a response lists: with all of them it could be a thousand times as long as the body. */
export const MAX_LISTED_ISSUES = 100

/**
 * Returns the first issues of a validation error, or undefined for any other error. `input` is the whole input as it was
 * sent; `origin` is scheme and host of this service, for the links.
 */
export function validationIssues(
  error: unknown,
  input: unknown,
  origin: string,
  place: LocateIssue = (path) => ['body', ...path],
): ValidationIssue[] | undefined {
  const inHeader = error instanceof InvalidInput && error.place === 'header'
  const isOfWhole = error instanceof InvalidInput && error.issue.path.length === 0
  return zodIssues(error)
    ?.slice(0, MAX_LISTED_ISSUES)
    .map((issue) => {
      const path = issue.path.map(String)
      const value = path.reduce<unknown>(property, input)
      const type = inHeader || isOfWhole ? 'invalid' : issueType(issue, value)
      return {
        type,
        loc: inHeader ? ['header', ...path] : place(path),
        msg: issue.message,
        input: path.length === 0 || path.some((key) => SECRETS.has(key)) ? null : plain(value),
        ctx: { error: issue.message },
        url: `${origin}/docs/errors#${type}`,
      }
    })
}

function zodIssues(error: unknown): (core.$ZodIssue | InvalidInput['issue'])[] | undefined {
  if (error instanceof InvalidInput) return [error.issue]
  // An output that does not fit its schema also carries a ZodError, but with code INTERNAL_SERVER_ERROR: it is our
  // issue.
  if (!(error instanceof TRPCError) || error.code !== 'BAD_REQUEST') return undefined
  return error.cause instanceof z.core.$ZodError ? error.cause.issues : undefined
}

const property = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined

function issueType(
  { code, params }: { code: string; params?: { type?: unknown } | undefined },
  value: unknown,
): IssueType {
  if (isIssueType(params?.type)) return params.type
  if (value === undefined && (code === 'custom' || code.startsWith('invalid_'))) return 'missing'
  if (code === 'invalid_union') return 'invalid_type'
  return isIssueType(code) ? code : 'invalid'
}

type IssueType = keyof typeof issueTypes
const isIssueType = (code: unknown): code is IssueType =>
  typeof code === 'string' && Object.hasOwn(issueTypes, code)

const LONGEST_ECHO = 200

function plain(value: unknown): ValidationIssue['input'] {
  if (typeof value === 'string') return value.slice(0, LONGEST_ECHO).toWellFormed()
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
