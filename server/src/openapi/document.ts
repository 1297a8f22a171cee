import type { AnyRouter } from '@trpc/server'
import { generateOpenApiDocument } from 'trpc-to-openapi'
import type { OpenAPIObject } from 'trpc-to-openapi'
import { z } from 'zod'
import type { Operation } from '../http/endpoint.ts'
import type { Scope } from '../http/scope.ts'
import { describeFields, addExample, exemplifyBody } from './response-examples.ts'
import { bodyTypes } from '../http/body/read-body.ts'
import { modules } from '../modules.ts'
import { introduction } from './introduction.ts'
import { withNulls } from './nulls.ts'
import { isInlineSchema, schemaOf } from './parts.ts'
import type { Components, OperationObject, Parameter, Paths, RequestBody } from './parts.ts'
import { components, responsesOf } from './responses.ts'
import { webhookMessages, webhookSchemas } from './webhooks.ts'
import { openapiMethodKeys, operations } from '../http/operations.ts'
import type { ServedOperation } from '../http/operations.ts'

/** The version of the interface, not of the server; it changes when an operation changes. */
const VERSION = '1.0.0'

/** The purpose of each module, by its key in the router, which is also the tag. */
const purposes = new Map(modules.map(({ name, purpose }) => [name, purpose]))

const scopeMeanings: Record<Scope, string> = {
  'child:read': 'The name, birth date and gender of a child',
  'usage:read': 'Charts, calendar and recorded treatments',
  'notes:read': 'Memos, medication and hospital visits of a day; without it they are hidden',
  'notes:write': 'Saving the notes of a day',
  'surveys:read': 'The results of surveys',
  'reports:read': 'Reports as PDF',
  offline_access: 'A refresh token',
}

const securitySchemes = {
  signIn: {
    type: 'oauth2',
    description:
      'Sign in with e-mail and password. The access token of the response goes with every call, for 900 seconds.',
    flows: { password: { tokenUrl: '/api/v1/alpha/auth/email/signin', scopes: {} } },
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `access_token` of sign-in, sign-up or refresh-token.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'For other services: a parent consents, and the service gets what was granted. Metadata: `/.well-known/oauth-authorization-server`.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/authorize',
        tokenUrl: '/oauth/token',
        refreshUrl: '/oauth/token',
        scopes: scopeMeanings,
      },
      clientCredentials: { tokenUrl: '/oauth/token', scopes: scopeMeanings },
    },
  },
  serviceToken: {
    type: 'oauth2',
    description:
      'For other services in their own name: a token that stands for all that parents have granted to the service. No token of a parent or of one grant will do.',
    flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: scopeMeanings } },
  },
  validToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The `valid_token` that `POST /api/v1/alpha/auth/phone-number-validation` has answered. It is for sign-up, works once, and lives 600 seconds.',
  },
} as const satisfies Components['securitySchemes']

const security: Record<NonNullable<Operation['token']>, Record<string, string[]>[]> = {
  access: [{ signIn: [] }, { accessToken: [] }],
  // None: what readers of the document make of it would send a token that devices do not have. `x-optional-token` tells others.
  'optional access': [],
  valid: [{ validToken: [] }],
}

function securityOf({ token, scope, serviceOnly }: Operation): Record<string, string[]>[] {
  const withScope = (scheme: string) => (scope ?? []).map((each) => ({ [scheme]: [each] }))
  if (serviceOnly) return withScope('serviceToken')
  return token ? [...security[token], ...withScope('oauth2')] : []
}

/**
 * Generates the OpenAPI 3.1 document of every operation of `router`, as plain JSON. trpc-to-openapi generates the
 * schemas. The declarations add the rest: errors by text, tokens, forms, bare arrays, bodies of DELETE, headers. Throws
 * `TypeError` if a module is not in the list of modules.
 */
export function openApiDocument(
  router: AnyRouter,
  { publicUrl }: { publicUrl?: string } = {},
): OpenAPIObject {
  const options = { version: VERSION, description: introduction, baseUrl: publicUrl ?? '/', securitySchemes }
  const generated = plain(generateOpenApiDocument(router, { title: 'Companion', ...options }))
  const served = operations(router)
  const paths: Paths = {}
  for (const each of served) {
    const { path, method } = each.operation
    const key = openapiMethodKeys[method]
    paths[path] = { ...paths[path], [key]: describe(each, generated.paths?.[path]?.[key] ?? {}) }
  }
  const schemas = { ...generated.components?.schemas, ...components.schemas, ...plain(webhookSchemas) }
  for (const schema of Object.values(schemas)) describeFields(schema)
  for (const { operation } of served) {
    const described = paths[operation.path]?.[openapiMethodKeys[operation.method]]
    if (!described) continue
    addExample(described, schemas)
    exemplifyBody(described, schemas)
  }
  const webhooks: Paths = structuredClone(webhookMessages)
  for (const { post } of Object.values(webhooks)) if (post) exemplifyBody(post, schemas)
  return {
    ...generated,
    tags: [...new Set(served.map(moduleOf))].map((name) => ({ name, description: purposes.get(name) ?? '' })),
    paths,
    webhooks,
    components: {
      ...generated.components,
      ...components,
      schemas,
    },
  }
}

const plain = <Part>(part: Part): Part => JSON.parse(JSON.stringify(part), plainly)

/** A `JSON.parse` reviver that simplifies schemas which zod makes too exact for readers and client generators. */
function plainly(key: string, value: unknown): unknown {
  // These are only the bounds of exact integers in a double.
  if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined
  if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined
  // No id is negative; that the service would call such a one unknown, and not invalid, helps nobody.
  if (key === 'minimum' && value === -(2 ** 31)) return undefined
  // Later versions may add fields to responses (see the introduction).
  if (key === 'additionalProperties' && value === false) return undefined
  const schema = numeric.safeParse(value)
  if (!schema.success) return value
  const { enum: values, ...rest } = schema.data
  if (!values) return { ...rest, type: 'integer' }
  // Generators turn each enum value into a name, and give `1` and `"1"` the same name.
  return { ...rest, type: 'integer', minimum: Math.min(...values), maximum: Math.max(...values) }
}

/** A schema of one integer, or of consecutive integers. */
const numeric = z
  .looseObject({ type: z.literal('number'), const: z.int().optional(), enum: z.array(z.int()).optional() })
  .refine(({ const: one, enum: values }) =>
    values ? values.every((each, index) => each === (values[0] ?? 0) + index) : one !== undefined,
  )

function moduleOf({ path }: ServedOperation): string {
  const [module = ''] = path.split('.')
  if (!purposes.has(module))
    throw new TypeError(`Say in server/src/modules.ts what the module "${module}" is for`)
  return module
}

const NOT_KEPT = 'No response is kept for an `Idempotency-Key`: a repeat does it again.'

function describe(served: ServedOperation, generated: OperationObject): OperationObject {
  const { path, operation, errors } = served
  const { summary, repeat } = operation
  const description = [operation.description, repeat === 'none' ? NOT_KEPT : undefined]
    .filter(Boolean)
    .join(' ')
  const parameters = parametersOf(served, generated)
  const requestBody = requestBodyOf(operation, generated, parameters)
  return {
    tags: [moduleOf(served)],
    operationId: path,
    summary,
    ...(description ? { description } : {}),
    security: securityOf(operation),
    ...(operation.token === 'access' && operation.accounts !== 'all'
      ? { 'x-account': operation.accounts === 'clinicians' ? 'clinician' : 'parent' }
      : {}),
    ...(operation.token === 'optional access' ? { 'x-optional-token': true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(generated, errors, operation, requestBody !== undefined),
  }
}

function parametersOf({ operation, input }: ServedOperation, generated: OperationObject): Parameter[] {
  const fields = (generated.parameters ?? []).filter(isInlineSchema).map((parameter): Parameter => {
    const { description: inner, ...schema } = schemaOf(parameter)
    const field = input.shape[parameter.name]
    // The generator unwraps optional fields and loses their descriptions.
    const description = (field && z.globalRegistry.get(field)?.description) ?? inner
    const required = parameter.required === true && !(parameter.in === 'query' && takesBodyOrQuery(operation))
    return {
      name: parameter.name,
      in: parameter.in,
      ...(description ? { description } : {}),
      required,
      schema,
    }
  })
  const headers = Object.entries(operation.headers ?? {}).map(
    ([name, { description, examples = [], ...schema }]): Parameter => ({
      name,
      in: 'header',
      description,
      required: false,
      schema: { type: 'string', ...schema, ...(examples.length > 0 ? { examples: [...examples] } : {}) },
    }),
  )
  return [...fields, ...headers]
}

const takesBodyOrQuery = ({ method, body }: Operation) => method === 'DELETE' && body === 'json'

function requestBodyOf(
  operation: Operation,
  { requestBody }: OperationObject,
  parameters: Parameter[],
): RequestBody | undefined {
  const { body } = operation
  if (takesBodyOrQuery(operation)) {
    const fields = parameters.filter((parameter) => parameter.in === 'query')
    const properties = Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]))
    return {
      description: 'Each field is needed here or in the query.',
      required: false,
      content: { 'application/json': { schema: { type: 'object', properties } } },
    }
  }
  const whole =
    requestBody && isInlineSchema(requestBody) ? schemaOf(requestBody.content['application/json']) : {}
  if (typeof body === 'object') {
    const schema = withNulls(whole.properties?.[body.array] ?? {})
    return { required: true, content: { 'application/json': { schema } } }
  }
  if (Object.keys(whole.properties ?? {}).length === 0) return undefined
  const content = Object.fromEntries(bodyTypes(operation).map((type) => [type, { schema: withNulls(whole) }]))
  return { required: (whole.required ?? []).length > 0, content }
}
