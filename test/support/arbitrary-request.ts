import * as fc from 'fast-check'

/** The part of a JSON schema that the inputs of the document use. */
interface Schema {
  $ref?: string
  type?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

interface TextBounds {
  pattern: string | undefined
  minLength: number
  maxLength: number
}

export interface DocumentedOperation {
  operationId: string
  security?: Record<string, string[]>[]
  parameters?: { in: 'path' | 'query' | 'header'; name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, unknown>
}

export interface ArbitraryRequest {
  path: Record<string, unknown>
  query: Record<string, unknown>
  header: Record<string, unknown>
  body: unknown
  /** Whether the caller shows a good token, a broken one or none. */
  token: 'good' | 'broken' | 'none'
}

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '0x10',
    '1e3',
    1.5,
    -1,
    1e308,
    2 ** 31,
    -(2 ** 31) - 1,
    true,
    'a\0b',
  ),
  fc.constantFrom<unknown>(
    '\uD800',
    '\u202E',
    'x'.repeat(3000),
    "' OR 1=1; --",
    '%00%ff',
    '2026-02-30',
    '9999-12-31',
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[null]],
    { length: 5, toString: 'x' },
    { $ne: null },
    '__proto__',
    'constructor',
  ),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Mostly values that `schema` allows. `known` has values of the database by the name of the field. */
function valueOf(schema: Schema, known: unknown[] = []): fc.Arbitrary<unknown> {
  const valid = validValue(schema)
  return fc.oneof(
    {
      weight: 40,
      arbitrary:
        known.length > 0
          ? fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: valid })
          : valid,
    },
    { weight: 1, arbitrary: hostile },
  )
}

type Known = Record<string, unknown[]>

function validValue(schema: Schema, known: Known = {}): fc.Arbitrary<unknown> {
  const { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 } = schema
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => validValue(each, known)))
  if (schema.properties) return fieldsOf(schema.properties, known)
  if (schema.items)
    return fc.array(validValue(schema.items, known), { maxLength: Math.min(schema.maxItems ?? 3, 3) })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return fc.integer({ min: minimum, max: maximum })
  if (schema.type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true })
  if (schema.format === 'date') return day
  const { pattern, minLength = 0, maxLength = 100 } = schema
  const key = JSON.stringify([pattern, minLength, maxLength])
  const text = texts.get(key) ?? textOf({ pattern, minLength, maxLength })
  texts.set(key, text)
  return text
}

/** By their bounds: to make one takes longer than a request. */
const texts = new Map<string, fc.Arbitrary<string>>()

const textOf = ({ pattern, minLength, maxLength }: TextBounds): fc.Arbitrary<string> =>
  pattern
    ? fc.stringMatching(new RegExp(pattern))
    : fc.oneof(
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 20) }),
        fc.constantFrom('가'.repeat(maxLength), '가'.repeat(maxLength + 1)),
        moment,
      )

const instant = fc.date({ min: new Date('2014-12-30'), max: new Date('2035-01-01'), noInvalidDate: true })
const day = instant.map((at) => at.toISOString().slice(0, 10))
const moment = instant.map((at) => at.toISOString().slice(0, 19))

/** An object with these fields, seldom without one of them, seldom with another. */
const fieldsOf = (properties: Record<string, Schema>, known: Known): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [
          name,
          fc.option(
            schema.properties || schema.items
              ? fc.oneof(
                  { weight: 40, arbitrary: validValue(schema, known) },
                  { weight: 1, arbitrary: hostile },
                )
              : valueOf(schema, known[name]),
            { freq: 40, nil: undefined },
          ),
        ]),
      ),
    )
    .chain((fields) =>
      fc.oneof(
        { weight: 40, arbitrary: fc.constant(fields) },
        { weight: 1, arbitrary: hostile.map((value) => ({ ...fields, unheard_of: value })) },
      ),
    )

/** Requests to an operation of the document: mostly good ones, for things of `known` that may exist. */
export function arbitraryRequest(
  { parameters = [], requestBody, security = [] }: DocumentedOperation,
  known: Known,
): fc.Arbitrary<ArbitraryRequest> {
  const placed = (place: string) =>
    fieldsOf(
      Object.fromEntries(parameters.flatMap((each) => (each.in === place ? [[each.name, each.schema]] : []))),
      known,
    )
  const [content] = Object.values(requestBody?.content ?? {})
  return fc.record({
    path: placed('path'),
    query: placed('query'),
    header: placed('header'),
    body: content
      ? fc.oneof(
          { weight: 40, arbitrary: validValue(content.schema, known) },
          { weight: 1, arbitrary: hostile },
        )
      : fc.constant(undefined),
    token:
      security.length === 0
        ? fc.constantFrom('none')
        : fc.oneof(
            { weight: 40, arbitrary: fc.constant('good' as const) },
            fc.constantFrom('broken', 'none'),
          ),
  })
}
