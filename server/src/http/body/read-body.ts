import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import type { RequestHandler } from 'express'
import { Failure } from '../../errors/failure.ts'
import { generic } from '../../errors/generic.ts'
import type { Operation } from '../endpoint.ts'
import { nestingDepth } from './nesting.ts'
import type { ServedOperation } from '../operations.ts'
import { contentCoding, receiveBody, gunzipBody } from './receive-body.ts'
import { InvalidInput } from '../validation-issues.ts'

const DEFAULT_BODY_LIMIT = 100_000
const FORM = 'application/x-www-form-urlencoded'
const MOST_FORM_FIELDS = 1000
/** No operation has an input of more than five levels. */
const DEEPEST = 32

type ReadBody = (request: IncomingMessage, counted?: (bytes: number) => void) => Promise<unknown>

/** The media types that the body of an operation may have. */
export const bodyTypes = ({ body }: Pick<Operation, 'body'>): readonly ('application/json' | typeof FORM)[] =>
  body === 'form' ? ['application/json', FORM] : ['application/json']

/** Whether a field of an operation comes in the body over REST. */
const hasBodyFields = ({ operation: { method, path, body }, input }: ServedOperation) =>
  method === 'DELETE'
    ? body !== undefined
    : Object.keys(input.shape).some((field) => !path.includes(`{${field}}`))

/**
 * Returns a function that reads the body of an operation over REST, which is JSON of any type or a form, packed with gzip or
 * not. It resolves to undefined if there is no body and rejects with 400, 413 or 415. A body that no field comes in is not
 * looked at. Operations that read nothing have no reader.
 */
export function bodyReader(served: ServedOperation): ReadBody | undefined {
  const { method, bodyLimit = DEFAULT_BODY_LIMIT, recorded = false } = served.operation
  if (method === 'GET') return undefined
  if (!hasBodyFields(served)) return bodyIgnorer()
  return typedReader({ types: bodyTypes(served.operation), bodyLimit, recorded, mayBePacked: true })
}

/** The same for `/trpc`, where all fields come in the body, as JSON. */
export function rpcBodyReader({ operation, input }: ServedOperation): ReadBody {
  const { bodyLimit = DEFAULT_BODY_LIMIT, recorded = false } = operation
  if (Object.keys(input.shape).length === 0) return bodyIgnorer()
  return typedReader({ types: bodyTypes({}), bodyLimit, recorded, mayBePacked: false })
}

const bodyIgnorer = (): ReadBody => async (request) => {
  if (!(await receiveBody(request, DEFAULT_BODY_LIMIT))) throw new Failure(...generic.tooLarge)
}

interface Readable {
  types: readonly string[]
  bodyLimit: number
  recorded: boolean
  mayBePacked: boolean
}

function typedReader({ types, bodyLimit, recorded, mayBePacked }: Readable): ReadBody {
  return async (request, countUnpacked) => {
    const [type = '', coding] = [mediaType(request), contentCoding(request)]
    const isKnown = types.includes(type) && (coding === 'none' || (coding === 'gzip' && mayBePacked))
    const sent = await receiveBody(request, isKnown ? bodyLimit : 0)
    // Proxies and libraries announce a body in chunks that turns out to be empty: then there is none, of whatever type.
    if (sent?.length === 0) return undefined
    if (!isKnown) throw new Failure(...generic.mediaType)
    if (!sent) throw new Failure(...generic.tooLarge)
    const bytes = coding === 'gzip' ? await gunzipBody(sent, bodyLimit) : sent
    if (bytes !== sent) countUnpacked?.(bytes.length - sent.length)
    if (recorded && request.facts) request.facts.body_sha256 = hash('sha256', bytes)
    return type === FORM ? formOf(bytes) : jsonOf(bytes)
  }
}

/** The media type of a body. A `charset` means nothing to JSON (RFC 8259, 11), whose bytes are UTF-8. */
const mediaType = ({ headers }: IncomingMessage) =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase()

function jsonOf(bytes: Buffer): unknown {
  // Otherwise broken bytes would be stored as U+FFFD, which is not the text that was sent.
  if (!isUtf8(bytes)) throw new Failure(...generic.brokenJson)
  const { deepest, open } = nestingDepth(bytes)
  if (open !== 0) throw new Failure(...generic.brokenJson)
  if (deepest > DEEPEST) throw new InvalidInput([], `must not be nested deeper than ${DEEPEST} levels`)
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch {
    throw new Failure(...generic.brokenJson)
  }
}

function formOf(bytes: Buffer): Record<string, unknown> {
  const text = bytes.toString('utf8')
  if (text.split('&', MOST_FORM_FIELDS + 1).length > MOST_FORM_FIELDS) throw new Failure(...generic.tooLarge)
  return parseQuery(text)
}

/** Reads JSON of at most `bodyLimit` bytes; undefined without a body. Throws 400, 413, or 415 for another media type. */
export const readJsonBody = async (
  request: IncomingMessage,
  bodyLimit = DEFAULT_BODY_LIMIT,
  types: readonly string[] = bodyTypes({}),
): Promise<unknown> => typedReader({ types, bodyLimit, recorded: false, mayBePacked: false })(request)

/** Reads a form of at most `bodyLimit` bytes; undefined without a body. Throws 413, or 415 for what is no form. */
export const readForm = async (request: IncomingMessage, bodyLimit: number): Promise<unknown> =>
  typedReader({ types: [FORM], bodyLimit, recorded: false, mayBePacked: false })(request)

/** Express middleware that reads the form of a page, of at most `bodyLimit` bytes, into `request.body`. */
export function formReader(bodyLimit: number): RequestHandler {
  return async (request, _response, next) => {
    request.body = await readForm(request, bodyLimit).catch((error: unknown) => {
      // What is no form has no fields, and the page says what is missing.
      if (error instanceof Failure && error.status === 415) return undefined
      throw error
    })
    next()
  }
}
