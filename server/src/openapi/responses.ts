import { isDeepStrictEqual } from 'node:util'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { keepsResponseByKey } from '../http/endpoint.ts'
import type { Operation } from '../http/endpoint.ts'
import { deviceErrors } from '../http/device-error.ts'
import type { Components, OperationObject, ResponseObject, Schema } from './parts.ts'
import { issueTypes, MAX_LISTED_ISSUES } from '../http/validation-issues.ts'

/** Errors that an operation answers to a body that it cannot read. */
const bodyErrors = [generic.brokenJson, generic.tooLarge, generic.mediaType]

/** The texts that a status comes with, and when each does. */
type Details = Record<string, string | undefined>

/** Every response of an operation: the generated success, and one response for each status it may fail with. */
export function responsesOf(
  generated: OperationObject,
  errors: readonly ErrorDeclaration[],
  operation: Pick<Operation, 'file' | 'responseHeaders' | 'otherSuccesses' | 'token' | 'method' | 'repeat'>,
  hasBody: boolean,
): Record<string, object> {
  const { file, responseHeaders = [] } = operation
  const isKept = keepsResponseByKey(operation)
  const detailsOf = new Map<number, Details>([[422, {}]])
  const all: ErrorDeclaration[] = [
    ...errors,
    ...(hasBody ? bodyErrors : []),
    ...(isKept ? [generic.inProgress, generic.otherInput] : []),
    generic.clientVersion,
    generic.tooMany,
    generic.internal,
    generic.partOutOfReach,
  ]
  for (const [status, detail, when] of all) {
    const known = detailsOf.get(status)
    detailsOf.set(status, { ...known, [detail]: known?.[detail] ?? when })
  }
  const own = (status: number) => responseHeaders.filter((name) => statusOf[name] === status)
  const failures = [...detailsOf].map(([status, details]) => {
    const shared = Object.entries(common).find(([, one]) => isDeepStrictEqual(one, { status, details }))
    return [
      status,
      shared ? { $ref: `#/components/responses/${shared[0]}` } : failure(status, details, own(status)),
    ] as const
  })
  const [body] = Object.values(generated.responses?.['200']?.content ?? {})
  const content = file && body ? { content: { [file]: body } } : {}
  const success: object = {
    ...generated.responses?.['200'],
    ...content,
    headers: headersOf(200, [
      ...own(200),
      ...(file ? (['Content-Disposition'] as const) : []),
      ...(isKept ? (['Idempotency-Replayed'] as const) : []),
    ]),
  }
  const others = Object.entries(operation.otherSuccesses ?? {}).map(([status, description]) => [
    status,
    status === '206'
      ? { description, ...content, headers: { ...headersOf(206, own(200)), 'Content-Range': contentRange } }
      : { description, headers: headersOf(204) },
  ])
  return { 200: success, ...Object.fromEntries(others), ...Object.fromEntries(failures) }
}

const contentRange = {
  description: 'Which bytes of how many these are.',
  required: true,
  schema: { type: 'string', examples: ['bytes 65536-131071/200000'] },
}

function failure(
  status: number,
  whens: Details,
  more: readonly (keyof typeof headers)[] = [],
): ResponseObject {
  const isInvalid = status === 422
  const details = Object.keys(whens)
  const text: Schema = {
    type: 'object',
    properties: {
      detail: { type: 'string', ...(details.length === 1 ? { const: details[0] } : { enum: details }) },
    },
    required: ['detail'],
    additionalProperties: false,
  }
  const issues = { $ref: '#/components/schemas/ValidationError' }
  const descriptions = Object.entries(whens).map(
    ([detail, when]) => `\`${detail}\`${when ? `: ${when}` : ''}`,
  )
  if (isInvalid) descriptions.unshift('A list of what is not valid')
  return {
    description:
      descriptions.length === 1 ? descriptions.join() : descriptions.map((line) => `- ${line}`).join('\n'),
    headers: headersOf(status, more),
    content: {
      'application/json': {
        schema: !isInvalid ? text : details.length === 0 ? issues : { oneOf: [issues, text] },
        examples: {
          ...(isInvalid ? { 'A list of what is not valid': { value: validationExample } } : {}),
          ...Object.fromEntries(
            Object.entries(whens).map(([detail, when]) => [
              detail,
              { ...(when ? { description: when } : {}), value: { detail } },
            ]),
          ),
        },
      },
    },
  }
}

const headers = {
  'X-Request-Id': {
    description: 'Names this request in the log of the service.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'The version of the event, for `If-Match`; absent without an event. Of a file, its SHA-256, for `If-Range`.',
    schema: { type: 'string', examples: ['"12-3"'] },
  },
  'Accept-Ranges': {
    description: 'A part of the file can be asked for by `Range`.',
    required: true,
    schema: { type: 'string', enum: ['bytes'] },
  },
  'X-Firmware-Id': {
    description: 'The firmware that is offered.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Webhook-Fault': {
    description: 'With `Webhook verification failed` alone: what went wrong, in a few words.',
    schema: {
      type: 'string',
      examples: ['no connection', 'no answer in 5 s', 'status 500', 'challenge differs'],
    },
  },
  'Idempotency-Replayed': {
    description:
      'On the response to a repeat, also an error: what the first call with this `Idempotency-Key` was answered.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Content-Disposition': {
    description: '`attachment`, and the name of the file.',
    required: true,
    schema: { type: 'string' },
  },
  'X-Error': {
    description: `Only on calls of devices (\`/api/v1/gamma/\`): one word for firmware to act on.\n${Object.entries(
      deviceErrors,
    )
      .map(([word, advice]) => `- \`${word}\`: ${advice}`)
      .join('\n')}`,
    schema: { type: 'string', enum: Object.keys(deviceErrors) },
  },
  'WWW-Authenticate': {
    description: 'With `error="invalid_token"` where the token that was shown is to blame (RFC 6750).',
    required: true,
    schema: { type: 'string', enum: ['Bearer', 'Bearer error="invalid_token"'] },
  },
  'WWW-Authenticate-Scope': {
    description: 'With `Insufficient scope` alone; `scope` names the scopes of which one is needed.',
    schema: { type: 'string', pattern: '^Bearer error="insufficient_scope"' },
  },
} satisfies Components['headers']

/** The status with which an operation answers each of the headers that it declares. */
const statusOf = {
  ETag: 200,
  'Accept-Ranges': 200,
  'X-Firmware-Id': 200,
  'X-Webhook-Fault': 409,
} satisfies Record<NonNullable<Operation['responseHeaders']>[number], number>

function headersOf(
  status: number,
  more: readonly (keyof typeof headers)[] = [],
): NonNullable<ResponseObject['headers']> {
  const names = ['X-Request-Id', ...more]
  if (status >= 400) names.push('X-Error')
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 429 || status === 503) names.push('Retry-After')
  const references = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  return status === 403
    ? { ...references, 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate-Scope' } }
    : references
}

const issue: Schema = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      enum: Object.keys(issueTypes),
      description: 'The kind of issue, which `url` explains.',
    },
    loc: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description:
        '`path`, `query`, `body` or `header`, then the way to the field; positions in a list are digits.',
    },
    msg: { type: 'string', description: 'What is wrong, in English.' },
    input: {
      type: ['string', 'number', 'boolean', 'null'],
      description: 'What was sent, when it is one plain value; never a secret.',
    },
    ctx: {
      type: 'object',
      description: 'The same again, for clients that look here.',
      properties: { error: { type: 'string', description: 'The text of `msg`.' } },
      required: ['error'],
      additionalProperties: false,
    },
    url: { type: 'string', format: 'uri', description: 'A page of this service that explains `type`.' },
  },
  required: ['type', 'loc', 'msg', 'input', 'ctx', 'url'],
  additionalProperties: false,
}

/** An example of a 422; the page on errors shows it, too. */
export const validationExample = {
  detail: [
    {
      type: 'invalid',
      loc: ['query', 'event_date'],
      msg: 'must be a day as yyyy-mm-dd',
      input: '2026-02-30',
      ctx: { error: 'must be a day as yyyy-mm-dd' },
      url: 'https://companion.example/docs/errors#invalid',
    },
  ],
}

const alone = ([status, detail, when]: ErrorDeclaration) => ({ status, details: { [detail]: when } })

/** Responses that many operations share. */
const common: Record<string, { status: number; details: Details }> = {
  BrokenJson: alone(generic.brokenJson),
  TooLarge: alone(generic.tooLarge),
  MediaType: alone(generic.mediaType),
  Invalid: { status: 422, details: {} },
  ClientVersion: alone(generic.clientVersion),
  TooMany: alone(generic.tooMany),
  Internal: alone(generic.internal),
  PartOutOfReach: alone(generic.partOutOfReach),
}

/** The components to which responses refer. */
export const components = {
  headers,
  responses: Object.fromEntries(
    Object.entries(common).map(([name, { status, details }]) => [name, failure(status, details)]),
  ),
  schemas: {
    ValidationError: {
      type: 'object',
      description: 'Input that is not valid.',
      properties: {
        detail: {
          type: 'array',
          description: 'What is not valid, one entry for each issue.',
          items: issue,
          minItems: 1,
          maxItems: MAX_LISTED_ISSUES,
        },
      },
      required: ['detail'],
      additionalProperties: false,
    },
  },
} satisfies Components
