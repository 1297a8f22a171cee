import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { getInputOutputParsers } from 'trpc-to-openapi'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from './src/openapi/document.ts'
import { operations } from './src/http/operations.ts'
import { appRouter } from './src/router.ts'

const document = openApiDocument(appRouter)

test('the committed document is what the router declares', async () => {
  const script = fileURLToPath(new URL('generate-openapi.ts', import.meta.url))
  const check = promisify(execFile)(process.execPath, [script, '--check'])
  await expect(check).resolves.toEqual({ stdout: '', stderr: '' })
})

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate({ ...document })).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every reference leads somewhere, and no schema is without a name', () => {
  const text = JSON.stringify(document)
  expect(text).not.toMatch(/\$defs|__schema/)
  const paths = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
  const lost = paths.filter(
    (path) => !path.split('/').reduce<unknown>((part, key) => Object(part)[key], document),
  )
  expect(lost).toEqual([])
})

test.each(operations(appRouter))('$path declares each of its errors by text', ({ operation, errors }) => {
  const { responses } = Object(document.paths?.[operation.path])[operation.method.toLowerCase()]
  const missing = errors.filter(
    ([status, detail]) =>
      !JSON.stringify(responses[status]).includes(`"value":${JSON.stringify({ detail })}`),
  )
  expect(missing).toEqual([])
})

/*
 * What a reader of the document and a generated client need of each operation. A field that several responses share is
 * described once, in src/openapi/response-fields.ts.
 */

const { schemas = {} } = document.components ?? {}
const results = operations(appRouter)
  .filter(({ operation }) => !operation.file)
  .map(({ path, operation, procedure }) => {
    const { responses } = Object(document.paths?.[operation.path])[operation.method.toLowerCase()]
    const { schema, example } = responses['200'].content['application/json']
    return { path, procedure, schema, example }
  })

/** The ways to the fields below `schema` that nobody has described. */
const undescribed = (schema: any, way: string): string[] => [
  ...Object.entries<any>(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description || field.$ref ? [] : [`${way}.${name}`]),
    ...undescribed(field, `${way}.${name}`),
  ]),
  ...[schema.items ?? [], ...(schema.anyOf ?? [])].flat().flatMap((part) => undescribed(part, `${way}[]`)),
]

test('the document tells of each message of webhooks, with its body and how to answer', () => {
  const { webhooks = {} } = document
  expect(Object.keys(webhooks)).toEqual(['changes.available', 'webhook.verify'])
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { requestBody, responses, security, parameters = [] } = Object(post)
    const { schema, example } = requestBody.content['application/json']
    const { properties } = Object(schemas[schema.$ref.split('/').at(-1)])
    expect(properties.type.const).toBe(type)
    expect(example).toMatchObject({ type, timestamp: expect.any(String) })
    expect(security).toEqual([])
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['2XX', 'default']))
  }
})

test('every field of an answer, and every named schema, is described', () => {
  const named = Object.entries(schemas).flatMap(([name, schema]) => [
    ...('description' in schema ? [] : [name]),
    ...undescribed(schema, name),
  ])
  expect([...named, ...results.flatMap(({ path, schema }) => undescribed(schema, path))]).toEqual([])
})

test('every object that is answered has a name', () => {
  const nameless = results.filter(({ schema }) => 'properties' in (schema.items ?? schema))
  expect(nameless.map(({ path }) => path)).toEqual([])
})

test.each(results)('$path has an example of its answer', ({ procedure, example }) => {
  const { outputParser }: { outputParser: unknown } = getInputOutputParsers(Object(procedure))
  if (!(outputParser instanceof z.ZodType)) throw new TypeError('no schema')
  expect(outputParser.parse(example)).toEqual(example)
})

const bodies = operations(appRouter).flatMap((served) => {
  const { requestBody, parameters = [] } = Object(document.paths?.[served.operation.path])[
    served.operation.method.toLowerCase()
  ]
  return requestBody ? [{ ...served, requestBody, parameters }] : []
})

test.each(bodies)(
  '$path has an example of a whole body, which it takes',
  ({ input, requestBody, parameters }) => {
    const inPath = parameters.flatMap(({ in: place, name, schema }: any) =>
      place === 'path' ? [[name, schema.examples[0]]] : [],
    )
    for (const { example } of Object.values<any>(requestBody.content)) {
      const body = Array.isArray(example) ? { items: example } : example
      expect(Object.keys(body)).not.toEqual([])
      expect(input.safeParse({ ...Object.fromEntries(inPath), ...body }).error).toBeUndefined()
    }
  },
)

test('no field has the least integer of 32 bits for a minimum', () => {
  expect(JSON.stringify(document)).not.toContain(`"minimum":${-(2 ** 31)}`)
})
