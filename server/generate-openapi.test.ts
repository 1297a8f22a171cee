import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
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
