import { accountErrors, otherAccountErrors, tokenErrors } from '@companion/server/errors/generic.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { expect, test } from 'vitest'
import { readDocument, servedIn } from './document.ts'
import type { Document, Operation } from './document.ts'
import { docstring } from './docstring.ts'
import { operationFiles } from './operation-files.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const refused = (detail: string, description?: string) => ({
  content: {
    'application/json': {
      schema: {},
      examples: { [detail]: { ...(description ? { description } : {}), value: { detail } } },
    },
  },
})
const operation = (operationId: string, rest: Partial<Operation>): Operation => ({
  operationId,
  summary: 'Do it',
  security: [],
  responses: { 200: json({ $ref: '#/components/schemas/Done' }) },
  ...rest,
})

const uuid = { type: 'string', format: 'uuid' }
const nap: Operation['responses'] = {
  200: json({
    type: 'array',
    items: { properties: { seconds: { type: 'integer', minimum: 0, description: 'How long' }, id: uuid } },
  }),
  401: refused('Token is expired'),
  404: refused('No bed', 'the bed of `POST /api/v1/bed` is not there'),
  429: refused('Too many requests', 'after 3 naps'),
  500: { $ref: '#/components/responses/Internal' },
}

const document = (...operations: [method: string, path: string, Operation][]): Document => ({
  tags: [{ name: 'naps', description: 'Short sleeps' }],
  paths: Object.fromEntries(operations.map(([method, path, each]) => [path, { [method]: each }])),
  components: {
    schemas: { Done: { properties: { message: { description: 'What was done' } } } },
    responses: { Internal: refused('Broken'), TooMany: refused('Too many requests') },
    securitySchemes: { validToken: { description: 'The `valid_token`.' } },
  },
})

const sources = async (...given: Parameters<typeof document>) => operationFiles(document(...given))

test('a method has the fields, bounds and errors of its operation in its documentation', async () => {
  const files = await sources(
    [
      'get',
      '/api/v1/nap',
      operation('naps.list', {
        summary: 'The naps of a child',
        description: 'They begin after `POST /api/v1/bed`.',
        security: [{ accessToken: [] }],
        parameters: [
          { in: 'query', name: 'id', required: true, schema: uuid },
          { in: 'query', name: 'page', required: false, schema: { minimum: 1, maximum: 9000, default: 1 } },
          { in: 'header', name: 'If-Match', required: false, schema: {} },
        ],
        responses: nap,
      }),
    ],
    ['post', '/api/v1/bed', operation('naps.makeBed', {})],
  )
  expect(files.get('naps.ts'))
    .toBe(`/* Made of server/openapi.json and sdk/generator/special-operations.ts by \`pnpm generate\`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethodWithoutInput, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Outputs } from '../types.ts'
import type { ListNapInput } from './inputs.ts'
import type { ListNapError, MakeBedError } from './errors.ts'

export interface NapsOperations {
  /**
   * The naps of a child.
   *
   * They begin after \`naps.makeBed\`.
   *
   * Contract: \`GET /api/v1/nap\`.
   *
   * @param input
   * - \`id\`: A uuid.
   * - \`page\`: From 1 to 9,000. Default: 1.
   * @returns for each:
   * - \`seconds\`: How long. From 0.
   * @throws 404 \`No bed\`: the bed of \`naps.makeBed\` is not there
   * @throws 429 \`Too many requests\`: after 3 naps
   * @throws 401 and 423 when the session has ended; see \`isSignedOut\`
   */
  list: (input: ListNapInput, options?: CallOptions) => CompanionCall<Outputs['naps']['list'], ListNapError>

  /**
   * Do it.
   *
   * Nobody needs to be signed in.
   *
   * Contract: \`POST /api/v1/bed\`.
   */
  makeBed: (options?: CallOptions) => CompanionCall<Done, MakeBedError>
}

export const napsMethods: Record<keyof NapsOperations, MethodKind> = {
  list: queryMethod,
  makeBed: mutationMethodWithoutInput,
}
`)
  expect(files.get('inputs.ts')).toContain("export type ListNapInput = Inputs['naps']['list']\n")
  expect(files.get('modules.ts')).toContain('  /** Short sleeps. */\n  naps: NapsOperations\n')
  const errors = files.get('errors.ts')?.replaceAll(/\s+/g, ' ')
  expect(errors).toContain(
    "/** How `naps.list` may be refused. */ export type ListNapError = | ErrorResponse<401, 'Token is expired'> | ErrorResponse<404, 'No bed'> | GenericError",
  )
  expect(errors).toContain('export type MakeBedError = GenericError')
  expect(files.get('kinds.ts')).toContain("new Set(['naps.makeBed'])")
})

test('what the document calls deprecated, the documentation does too', async () => {
  const note = { deprecated: true, description: 'Send nothing' }
  const files = await sources([
    'post',
    '/old',
    operation('naps.old', { deprecated: true, requestBody: json({ properties: { note } }) }),
  ])
  expect(files.get('naps.ts')).toContain(
    '   * @deprecated\n   * @param input\n   * - `note`: Deprecated. Send nothing.\n',
  )
})

const field = json({ properties: { note: {} } })

test('the input of an operation decides how its method is called', async () => {
  const files = await sources(
    [
      'get',
      '/all',
      operation('naps.findAll', { parameters: [{ in: 'query', name: 'id', required: false, schema: uuid }] }),
    ],
    [
      'post',
      '/many',
      operation('naps.upload', { requestBody: json({ items: { properties: { id: uuid } }, maxItems: 10 }) }),
    ],
    ['post', '/verified', operation('naps.confirm', { security: [{ validToken: [] }], requestBody: field })],
  )
  const text = files.get('naps.ts')
  expect(text).toContain('findAll: (input?: FindAllInput, options?: CallOptions) =>')
  expect(text).toContain('  findAll: queryMethod,\n')
  expect(text).toContain('@param items At most 10.\n   * - `id`: A uuid.')
  expect(text).toContain('upload: (items: readonly UploadNapItem[], options?: CallOptions) =>')
  expect(text).toContain('  upload: itemsMutationMethod,\n')
  expect(text).toContain('- `valid_token`: The `valid_token`.')
  expect(text).toContain('  confirm: validTokenMutationMethod,\n')
  expect(files.get('inputs.ts')).toContain("UploadNapItem = Inputs['naps']['upload']['items'][number]\n")
})

test('a file needs a name, and a text that names an operation needs that operation', async () => {
  const file = { 200: { content: { 'text/csv': { schema: {} } } } }
  await expect(sources(['get', '/csv', operation('naps.export', { responses: file })])).rejects.toThrow(
    'what the file of naps.export is called',
  )
  await expect(
    sources(['get', '/lost', operation('naps.lost', { description: 'See `GET /api/v1/gone`.' })]),
  ).rejects.toThrow('GET /api/v1/gone, which is no operation')
})

const written = await readDocument()
const served = operations(appRouter).filter(({ path }) => path !== 'auth.refresh')

test.each(served.map(({ path, errors, operation }) => [path, errors, operation] as const))(
  'the documentation of %s names every way it may fail, in lines that fit',
  (path, errors, { token }) => {
    const text = servedIn(written)
      .filter(({ operationId }) => operationId === path)
      .map((each) => docstring(each, written))
      .join('\n')
    const ofSession = new Set(
      token ? [...tokenErrors, ...otherAccountErrors, ...accountErrors].map(String) : [],
    )
    const own = errors.filter((each) => !ofSession.has(String(each)))
    expect(own.filter(([status, detail]) => !text.includes(`@throws ${status} \`${detail}\``))).toEqual([])
    expect(text.includes('@throws 401 and 423 when the session has ended')).toBe(token === 'access')
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([])
  },
)
