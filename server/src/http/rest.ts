import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'
import type { NextFunction, Request, Router } from 'express'
import type { AnyRouter } from '@trpc/server'
import { z } from 'zod'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { methodNotAllowed } from '../errors/method-not-allowed.ts'
import { procedureCaller } from './call-procedure.ts'
import type { Context } from './context.ts'
import type { Operation } from './endpoint.ts'
import { operations } from './operations.ts'
import { FileAnswer } from './file-answer.ts'
import type { ServedOperation } from './operations.ts'
import type { Noted } from '../telemetry/request-log.ts'
import type { Place } from './validation-issues.ts'

export type CreateContext = (request: Request) => Context

/**
 * Serves every operation of `router` on its REST path, by calling the procedure itself: same validation, same guard,
 * same errors as over tRPC. trpc-to-openapi describes the operations; its own adapter cannot carry this contract
 * (forms, bare arrays, bodies of DELETE, files, 410 and 423, `{detail}` – see docs/decisions).
 */
export function restRouter(router: AnyRouter, createContext: CreateContext): Router {
  const rest = express.Router({ caseSensitive: true, strict: true })
  const methodsOf = new Map<string, string[]>()
  for (const served of operations(router)) {
    const { method, path } = served.operation
    const answer = answerer(served)
    const expressPath = path.replaceAll(/\{(\w+)\}/g, ':$1')
    methodsOf.set(expressPath, [...(methodsOf.get(expressPath) ?? []), method])
    rest[expressMethod[method]](expressPath, ...bodyParser(served.operation), (request, response) =>
      answer(request, response, () => createContext(request)),
    )
  }
  for (const [path, methods] of methodsOf) {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ')
    rest.options(path, (_request, response) => void response.status(204).set('allow', allow).end())
    rest.all(path, methodNotAllowed(allow))
  }
  return rest
}

const expressMethod = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const

const DEFAULT_BODY_LIMIT = 100_000

/** Reads the body of an operation, if it takes one, into `body` of the request. */
export function bodyParser({
  method,
  body = 'json',
  bodyLimit = DEFAULT_BODY_LIMIT,
  recorded,
}: Operation): BodyParser[] {
  if (method === 'GET') return []
  const type = body === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const parse =
    body === 'form'
      ? express.urlencoded({ extended: false, limit: bodyLimit, type })
      : express.json({
          limit: bodyLimit,
          type,
          strict: false,
          verify: recorded ? hashBody : refuseBrokenUtf8,
        })
  return [
    (request, response, next) => {
      if (hasBody(request) && mediaType(request) !== type) throw new Failure(...generic.mediaType)
      parse(request, response, next)
    },
  ]
}

type BodyParser = (request: IncomingMessage, response: ServerResponse, next: NextFunction) => void

const mediaType = ({ headers }: IncomingMessage) =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase()

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Otherwise broken bytes would be stored as U+FFFD, another text than the one that was sent. */
function refuseBrokenUtf8(_request: unknown, _response: unknown, bytes: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new Failure(...generic.mediaType)
  if (!isUtf8(bytes)) throw new Failure(...generic.brokenJson)
}

function hashBody(request: unknown, response: ServerResponse, bytes: Buffer, encoding: string): void {
  refuseBrokenUtf8(request, response, bytes, encoding)
  const locals: unknown = Reflect.get(response, 'locals')
  if (isRecord(locals)) Object.assign(locals, { body_sha256: hash('sha256', bytes) } satisfies RestLocals)
}

/** What an operation's input is read from. */
interface Asked {
  params: object
  query: object
  body: unknown
}

/** Answers requests for an operation over HTTP, whoever found the way to it. */
export function answerer(
  served: ServedOperation,
): (asked: Asked, response: Noted, createContext: () => Context) => Promise<void> {
  const { path: operation } = served
  const { file, recorded } = served.operation
  const call = procedureCaller(served.procedure, served)
  const readInput = inputReader(served)
  const place = placeOf(served.operation)
  const sourceOf = rememberedSources()
  return async (asked, response, createContext) => {
    const input = readInput(asked)
    const locals = { operation, place: (way) => place(way, asked), input } satisfies RestLocals
    Object.assign(response.locals, locals)
    const ctx = createContext()
    if (recorded) Object.assign(response.locals, { source: sourceOf(ctx) } satisfies RestLocals)
    const answer = await call(ctx, input)
    if (answer instanceof FileAnswer) await answer.send(response, file ?? 'application/octet-stream')
    else sendJson(response, answer)
  }
}

const MOST_REMEMBERED = 10_000

/** Names the address of a caller without telling it. Remembered, because a keyed hash costs as much as reading an upload. */
function rememberedSources(): (context: Context) => string {
  const sources = new Map<string, string>()
  return ({ keys, request: { address } }) => {
    const known = sources.get(address)
    if (known !== undefined) return known
    if (sources.size >= MOST_REMEMBERED) sources.clear()
    const source = keys.hash('address', address).toString('base64url')
    sources.set(address, source)
    return source
  }
}

/** What the error handler and the log need to know of the request. */
export interface RestLocals {
  operation?: string
  place?: Place
  input?: unknown
  /** Keyed hash of the caller's address, and hash of the unpacked body, of operations that are `recorded`. */
  source?: string
  body_sha256?: string
}

function sendJson(response: ServerResponse, value: unknown): void {
  // As a text, so that Node sends head and body in one piece; where every character is one byte it need not be encoded.
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  response
    .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': length })
    .end(body, length === body.length ? 'latin1' : 'utf8')
}

/** The input of the procedure, from path, query and body. Only what the schema calls a number is read as one. */
function inputReader({ operation, input }: ServedOperation): (asked: Asked) => unknown {
  const numbers = new Set(Object.keys(input.shape).filter((key) => isInteger(input.shape[key])))
  const texts = (values: object) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, numbers.has(key) ? digits(value) : value]),
    )
  const { method, body } = operation
  const wrap = (content: unknown) => (typeof body === 'object' ? { [body.array]: content } : content)
  return (request) => {
    const params = texts(request.params)
    if (method === 'GET') return { ...texts(request.query), ...params }
    const content = wrap(request.body === undefined && typeof body !== 'object' ? {} : request.body)
    if (!isRecord(content)) return content
    return method === 'DELETE'
      ? { ...texts(request.query), ...content, ...params }
      : { ...content, ...params }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const has = (value: unknown, field: string) => isRecord(value) && Object.hasOwn(value, field)

const digits = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value

function isInteger(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isInteger(schema.unwrap())
  return schema instanceof z.ZodNumber
}

/** Where a field of the input came from, for the `loc` of a validation error. */
function placeOf({ method, path, body }: Operation): (way: string[], asked: Asked) => string[] {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const elsewhere = method === 'GET' || (method === 'DELETE' && body === undefined) ? 'query' : 'body'
  return (way, asked) => {
    const [field, ...rest] = way
    if (field === undefined) return [elsewhere]
    if (inPath.has(field)) return ['path', ...way]
    // The client has sent a bare array, not the field that holds it here.
    if (typeof body === 'object' && field === body.array) return ['body', ...rest]
    const isInQuery = method === 'DELETE' && has(asked.query, field) && !has(asked.body, field)
    return [isInQuery ? 'query' : elsewhere, ...way]
  }
}
