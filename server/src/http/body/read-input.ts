import { z } from 'zod'
import type { Operation } from '../endpoint.ts'
import type { ServedOperation } from '../operations.ts'

/** The parts of a request from which an operation's input is read. */
export interface RequestParts {
  /** The values of `{…}` in its path. */
  parameters: object
  query: object
  body: unknown
}

/**
 * Returns a function that combines path, query and body into the procedure's input. It converts a text in path or query
 * to a number only where the schema has a number.
 */
export function inputReader({ operation, input }: ServedOperation): (sent: RequestParts) => unknown {
  const numbers = new Set(Object.keys(input.shape).filter((key) => isInteger(input.shape[key])))
  const texts = (values: object) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, numbers.has(key) ? digits(value) : value]),
    )
  const { method, body } = operation
  const wrap = (content: unknown) => (typeof body === 'object' ? { [body.array]: content } : content)
  return (sent) => {
    const parameters = texts(sent.parameters)
    if (method === 'GET') return { ...texts(sent.query), ...parameters }
    const content = wrap(sent.body === undefined && typeof body !== 'object' ? {} : sent.body)
    if (!isRecord(content)) return content
    return method === 'DELETE'
      ? { ...texts(sent.query), ...content, ...parameters }
      : { ...content, ...parameters }
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

/**
 * Returns a function that maps a field of the input to its place in the request, for the `loc` of a validation error.
 */
export function placeOf({ method, path, body }: Operation): (way: string[], sent: RequestParts) => string[] {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const elsewhere = method === 'GET' || (method === 'DELETE' && body === undefined) ? 'query' : 'body'
  return (way, sent) => {
    const [field, ...rest] = way
    if (field === undefined) return [elsewhere]
    if (inPath.has(field)) return ['path', ...way]
    // The client sent a bare array, not the field that holds it in the input.
    if (typeof body === 'object' && field === body.array) return ['body', ...rest]
    const isInQuery = method === 'DELETE' && has(sent.query, field) && !has(sent.body, field)
    return [isInQuery ? 'query' : elsewhere, ...way]
  }
}
