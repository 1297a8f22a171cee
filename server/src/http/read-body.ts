import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Operation } from './endpoint.ts'

const DEFAULT_BODY_LIMIT = 100_000
const FORM = 'application/x-www-form-urlencoded'

type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/** The media types that the body of an operation may have. */
export const bodyTypes = ({ body }: Pick<Operation, 'body'>): readonly ('application/json' | typeof FORM)[] =>
  body === 'form' ? ['application/json', FORM] : ['application/json']

/**
 * Returns a function that reads the body of an operation, which is JSON of any type or a form, compressed or not. It
 * resolves to undefined if there is no body and rejects with 400, 413 or 415. Operations without a body have no reader.
 */
export function bodyReader({
  method,
  body = 'json',
  bodyLimit = DEFAULT_BODY_LIMIT,
  recorded,
}: Operation): ReadBody | undefined {
  if (method === 'GET') return undefined
  const types: readonly (string | undefined)[] = bodyTypes({ body })
  const parseForm = express.urlencoded({ extended: false, limit: bodyLimit, type: FORM })
  const parseJson = express.json({
    limit: bodyLimit,
    strict: false,
    verify: recorded ? hashBody : refuseBrokenUtf8,
  })
  return (request, response) =>
    new Promise((resolve, reject) => {
      const type = mediaType(request)
      if (hasBody(request) && !types.includes(type)) throw new Failure(...generic.mediaType)
      const parse = type === FORM ? parseForm : parseJson
      const parsed: IncomingMessage & { body?: unknown } = request
      parse(request, response, (error?: unknown) => (error ? reject(error) : resolve(parsed.body)))
    })
}

const mediaType = ({ headers }: IncomingMessage) =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase()

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Refuses invalid UTF-8: otherwise broken bytes would be stored as U+FFFD, which is not the text that was sent. */
function refuseBrokenUtf8(_request: unknown, _response: unknown, bytes: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new Failure(...generic.mediaType)
  if (!isUtf8(bytes)) throw new Failure(...generic.brokenJson)
}

function hashBody(request: IncomingMessage, response: unknown, bytes: Buffer, encoding: string): void {
  refuseBrokenUtf8(request, response, bytes, encoding)
  if (request.facts) request.facts.body_sha256 = hash('sha256', bytes)
}
