import { readFile } from 'node:fs/promises'

/* The parts of server/openapi.json that the SDK's methods and declarations are made of. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  deprecated?: boolean
  format?: string
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  enum?: unknown[]
  /** Of kinds, which the field that it names tells apart. */
  oneOf?: Schema[]
  discriminator?: { propertyName: string }
}

type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>
type Responses = Record<string, { $ref?: string; content?: Content }>

/** An error as it is sent. */
interface Example {
  /** When it happens. */
  description?: string
  value: { detail: unknown }
}

export interface Operation {
  /** Module and name, `auth.signIn`. */
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  /** Whether it judges an access token that a caller sends all the same. */
  'x-optional-token'?: true
  parameters?: { in: string; name: string; description?: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Responses
}

export interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Responses
    securitySchemes: Record<string, { description: string }>
  }
}

export const readDocument = async (): Promise<Document> =>
  JSON.parse(await readFile(new URL('../../server/openapi.json', import.meta.url), 'utf8'))

/** An operation with where it is served. */
export interface Served extends Operation {
  method: string
  path: string
}

export const servedIn = ({ paths }: Document): Served[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

/** The schema itself, where `schema` only refers to it. */
export const resolved = (schema: Schema | undefined, { components }: Document): Schema | undefined =>
  schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema

const bodyOf = ({ requestBody }: Operation): Schema | undefined =>
  Object.values(requestBody?.content ?? {})[0]?.schema

/** Whether the body is a bare array, which is the field `items` of the procedure. */
export const takesItems = (operation: Operation): boolean => bodyOf(operation)?.items !== undefined

/** What the procedure takes: the fields of path, query and body in one object. */
export function inputOf(operation: Operation): Schema & { properties: Record<string, Schema> } {
  const body = bodyOf(operation)
  const named = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header')
  return {
    properties: {
      ...(body?.items ? { items: body } : body?.properties),
      ...Object.fromEntries(
        named.map(({ name, description, schema }) => [
          name,
          { ...schema, ...(description ? { description } : {}) },
        ]),
      ),
    },
    required: [
      ...named.filter(({ required }) => required).map(({ name }) => name),
      ...(body?.required ?? []),
    ],
  }
}

const JSON_TYPE = 'application/json'

/** The media type and the schema of what the operation answers. */
export function outputOf({ responses }: Operation): { type: string; schema: Schema } {
  const [[type, { schema }] = [JSON_TYPE, { schema: {} }]] = Object.entries(responses['200']?.content ?? {})
  return { type, schema }
}

export const respondsWithFile = (operation: Operation): boolean => outputOf(operation).type !== JSON_TYPE

/** Whether the operation is of no use without an access token: that of a session, or of a service. */
export const needsSession = ({ security }: Operation): boolean =>
  security.some((scheme) => 'accessToken' in scheme || 'serviceToken' in scheme)

/** Whether the operation takes such a token. */
export const takesToken = (operation: Operation): boolean =>
  needsSession(operation) || operation['x-optional-token'] === true

/** An error that an operation lists by its text, and when it happens. */
export interface OperationError {
  status: string
  detail: string
  when: string | undefined
}

export const errorsIn = (responses: Responses): OperationError[] =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content)
      .flatMap(({ examples = {} }) => Object.values(examples))
      .flatMap(({ value: { detail }, description: when }) =>
        typeof detail === 'string' ? [{ status, detail, when }] : [],
      ),
  )
