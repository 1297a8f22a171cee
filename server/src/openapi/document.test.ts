import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint, router } from '../http/endpoint.ts'
import { idField, noFieldsSchema, uniqueIdField } from '../http/fields.ts'
import { appRouter } from '../router.ts'
import { openApiDocument } from './document.ts'

const done = z.object({ is_done: z.boolean() })

const document = openApiDocument(
  router({
    children: router({
      remove: endpoint(
        {
          method: 'DELETE',
          path: '/api/v1/child',
          summary: 'Remove',
          token: 'access',
          right: 'owner',
          body: 'json',
        },
        [
          [409, 'Taken', 'somebody else has it'],
          [409, 'Late'],
          [429, 'Too many requests', 'after 3 attempts'],
        ],
      )
        .input(z.object({ real_user_id: idField, unique_id: uniqueIdField }))
        .output(done)
        .mutation(() => ({ is_done: true })),
      read: endpoint({ method: 'GET', path: '/api/v1/child/{real_user_id}', summary: 'Read' }, [
        [422, 'Out of range'],
        [500, 'Broken'],
      ])
        .input(z.object({ real_user_id: idField, year: z.int().optional().meta({ description: 'A year' }) }))
        .output(done)
        .query(() => ({ is_done: true })),
      change: endpoint({ method: 'PATCH', path: '/api/v1/child/{real_user_id}', summary: 'Change' }, [])
        .input(z.object({ real_user_id: idField, name: z.string().optional() }))
        .output(done)
        .mutation(() => ({ is_done: true })),
    }),
    devlogs: router({
      upload: endpoint(
        {
          method: 'POST',
          path: '/api/v1/logs',
          summary: 'Upload',
          body: { array: 'items' },
          token: 'optional access',
          headers: { Prefer: { description: 'How' } },
        },
        [[401, 'No']],
      )
        .input(z.object({ items: z.array(z.object({ n: idField })).max(3) }))
        .output(done)
        .mutation(() => ({ is_done: true })),
    }),
    auth: router({
      signIn: endpoint(
        { method: 'POST', path: '/api/v1/in', summary: 'In', body: 'form', token: 'valid' },
        [],
      )
        .input(z.object({ username: z.string().meta({ examples: ['parent@example.com'] }) }))
        .output(done)
        .mutation(() => ({ is_done: true })),
      ofServices: endpoint(
        {
          method: 'POST',
          path: '/api/v1/service',
          summary: 'Of services',
          token: 'access',
          right: 'self',
          scope: ['child:read', 'usage:read'],
          serviceOnly: true,
        },
        [],
      )
        .input(noFieldsSchema)
        .output(done)
        .mutation(() => ({ is_done: true })),
      signOut: endpoint(
        { method: 'POST', path: '/api/v1/out', summary: 'Out', token: 'access', right: 'self' },
        [],
      )
        .input(noFieldsSchema)
        .output(done)
        .mutation(() => ({ is_done: true })),
    }),
  }),
  { publicUrl: 'https://api.example' },
)
const { paths = {}, components = {} } = document
const text = (...details: string[]) => ({
  type: 'object',
  properties: {
    detail: { type: 'string', ...(details.length > 1 ? { enum: details } : { const: details[0] }) },
  },
  required: ['detail'],
  additionalProperties: false,
})
const json = (schema: unknown) => ({ content: { 'application/json': expect.objectContaining({ schema }) } })

test('an operation is named by its path in the router and tagged by its module', () => {
  expect(document.servers).toEqual([{ url: 'https://api.example' }])
  expect(document.tags?.map(({ name }) => name)).toEqual(['children', 'devlogs', 'auth'])
  expect(paths['/api/v1/in']?.post).toMatchObject({ operationId: 'auth.signIn', tags: ['auth'] })
})

test('every operation of the service says more than its summary', () => {
  const { paths: served = {} } = openApiDocument(appRouter)
  const operations = Object.values(served).flatMap(({ get, post, put, patch, delete: remove }) =>
    [get, post, put, patch, remove].filter((each) => each !== undefined),
  )
  expect(operations.length).toBeGreaterThan(60)
  expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual(
    [],
  )
})

test('a module without a purpose is an error', () => {
  const nameless = router({
    secrets: endpoint({ method: 'GET', path: '/api/v1/secret', summary: 'Secret' }, [])
      .input(noFieldsSchema)
      .output(done)
      .query(() => ({ is_done: true })),
  })
  expect(() => openApiDocument(nameless)).toThrow('what the module "secrets" is for')
})

test('the errors of one status are one response with every text and when it comes', () => {
  const { responses } = paths['/api/v1/child']?.delete ?? {}
  expect(responses?.['409']).toMatchObject(json(text('Taken', 'Late', 'Request is in progress')))
  expect(responses?.['409'].description).toBe(
    '- `Taken`: somebody else has it\n- `Late`\n- `Request is in progress`',
  )
  expect(responses?.['409'].content['application/json'].examples).toEqual({
    Taken: { description: 'somebody else has it', value: { detail: 'Taken' } },
    Late: { value: { detail: 'Late' } },
    'Request is in progress': { value: { detail: 'Request is in progress' } },
  })
  expect(responses?.['429']).toMatchObject({
    description: '`Too many requests`: after 3 attempts',
    headers: { 'Retry-After': {} },
    ...json(text('Too many requests')),
  })
  expect(paths['/api/v1/child/{real_user_id}']?.get?.responses?.['500']).toMatchObject(
    json(text('Broken', 'Internal server error. Please try again later.')),
  )
})

test('a 422 is a list of issues, or a text where the operation declares one', () => {
  const issues = { $ref: '#/components/schemas/ValidationError' }
  expect(paths['/api/v1/in']?.post?.responses?.['422']).toEqual({ $ref: '#/components/responses/Invalid' })
  expect(paths['/api/v1/child']?.delete?.responses?.['422']).toMatchObject(
    json({ oneOf: [issues, text('Idempotency key was used for another request')] }),
  )
  expect(components.responses?.['Invalid']).toMatchObject(json(issues))
  expect(paths['/api/v1/child/{real_user_id}']?.get?.responses?.['422']).toMatchObject(
    json({ oneOf: [issues, text('Out of range')] }),
  )
})

test('only an operation with a body may answer that it cannot be read', () => {
  const statuses = (path: string, method: 'get' | 'post') =>
    Object.keys(paths[path]?.[method]?.responses ?? {})
  expect(statuses('/api/v1/in', 'post')).toEqual([
    '200',
    '400',
    '413',
    '415',
    '422',
    '426',
    '429',
    '500',
    '503',
  ])
  // Two may be under way with one key.
  expect(statuses('/api/v1/out', 'post')).toEqual(['200', '409', '422', '426', '429', '500', '503'])
  expect(statuses('/api/v1/child/{real_user_id}', 'get')).toEqual(['200', '422', '426', '429', '500', '503'])
})

test('each token has its scheme, and one that may be left out has none', () => {
  expect(paths['/api/v1/child']?.delete?.security).toEqual([{ signIn: [] }, { accessToken: [] }])
  expect(paths['/api/v1/service']?.post?.security).toEqual([
    { serviceToken: ['child:read'] },
    { serviceToken: ['usage:read'] },
  ])
  expect(paths['/api/v1/in']?.post?.security).toEqual([{ validToken: [] }])
  expect(paths['/api/v1/logs']?.post).toMatchObject({ security: [], 'x-optional-token': true })
  expect(paths['/api/v1/child/{real_user_id}']?.get?.security).toEqual([])
})

test('headers are described: those sent, those answered', () => {
  const upload = paths['/api/v1/logs']?.post
  expect(upload?.parameters).toEqual([
    { name: 'Prefer', in: 'header', description: 'How', required: false, schema: { type: 'string' } },
  ])
  expect(Object.keys(upload?.responses?.['200'].headers)).toEqual(['X-Request-Id'])
  expect(Object.keys(upload?.responses?.['401'].headers)).toEqual([
    'X-Request-Id',
    'X-Error',
    'WWW-Authenticate',
  ])
  for (const name of ['TooMany', 'PartOutOfReach'])
    expect(components.responses?.[name]).toMatchObject({ headers: { 'Retry-After': {} } })
})

test('parameters in path and query keep their type and description', () => {
  expect(paths['/api/v1/child/{real_user_id}']?.get?.parameters).toEqual([
    {
      name: 'real_user_id',
      in: 'path',
      required: true,
      schema: { type: 'integer', maximum: 2 ** 31 - 1, examples: [1] },
    },
    { name: 'year', in: 'query', description: 'A year', required: false, schema: { type: 'integer' } },
  ])
})

test('a body is a form or JSON, a bare array, or JSON that is needed when one of its fields is', () => {
  const schema = {
    type: 'object',
    properties: { username: { type: 'string', examples: ['parent@example.com'] } },
    required: ['username'],
  }
  const body = { schema, example: { username: 'parent@example.com' } }
  expect(paths['/api/v1/in']?.post?.requestBody).toEqual({
    required: true,
    content: { 'application/json': body, 'application/x-www-form-urlencoded': body },
  })
  expect(paths['/api/v1/logs']?.post?.requestBody).toMatchObject({
    required: true,
    ...json(expect.objectContaining({ type: 'array', maxItems: 3 })),
  })
  expect(paths['/api/v1/child/{real_user_id}']?.patch?.requestBody).toMatchObject({
    required: false,
    ...json({ type: 'object', properties: { name: { type: ['string', 'null'] } } }),
  })
  expect(paths['/api/v1/out']?.post).not.toHaveProperty('requestBody')
})

test('a DELETE with a body takes its fields from there or from the query', () => {
  const remove = paths['/api/v1/child']?.delete
  expect(remove?.parameters).toMatchObject([
    { name: 'real_user_id', in: 'query', required: false },
    { name: 'unique_id', in: 'query', required: false },
  ])
  expect(remove?.requestBody).toMatchObject({
    required: false,
    ...json(
      expect.objectContaining({
        properties: { real_user_id: expect.anything(), unique_id: expect.anything() },
      }),
    ),
  })
})

test('answers may get more fields', () => {
  expect(paths['/api/v1/in']?.post?.responses?.['200']).toMatchObject(
    json({ type: 'object', properties: { is_done: { type: 'boolean' } }, required: ['is_done'] }),
  )
})

test('numbers that are integers are said to be, and a row of them is a range', () => {
  const numbers = z.object({
    row: z.literal([1, 2, 3]),
    gaps: z.literal([1, 3]),
    one: z.literal(200),
    half: z.literal([0.5, 1.5]),
  })
  const { paths: served = {} } = openApiDocument(
    router({
      auth: router({
        signIn: endpoint({ method: 'POST', path: '/api/v1/in', summary: 'In' }, [])
          .input(numbers)
          .output(done)
          .mutation(() => ({ is_done: true })),
      }),
    }),
  )
  expect(served['/api/v1/in']?.post?.requestBody).toMatchObject(
    json(
      expect.objectContaining({
        properties: {
          row: { type: 'integer', minimum: 1, maximum: 3 },
          gaps: { type: 'number', enum: [1, 3] },
          one: { type: 'integer', const: 200 },
          half: { type: 'number', enum: [0.5, 1.5] },
        },
      }),
    ),
  )
})
