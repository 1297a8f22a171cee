import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { DocumentedOperation } from '../support/arbitrary-request.ts'
import { closedDocument } from '../support/document.ts'
import { addChild, devlogItem, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

/* A body costs the service as much as was sent: what it unpacks to, how deep it is and who may send it is judged first. */

const server = useServer()
const UPLOAD = '/api/v1/gamma/device/devlog'
const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
const tooLarge = { status: 413, body: { detail: 'Request body is too large' } }

describe('a packed body', () => {
  test('may unpack to 500 kB, and to 20 bytes more for each byte that was sent', async () => {
    const { token } = await signUp(server)
    const night = devlogItem((await addChild(server, token)).unique_id, '2026-03-01T21:30:00')
    const padded = (size: number) => gzipSync(JSON.stringify([night]).padEnd(size))
    const { length } = padded(500_000)
    const most = 500_000 + 20 * length
    expect((await server.post(UPLOAD, { body: padded(most), headers: packed })).status).toBe(200)
    expect(await server.post(UPLOAD, { body: padded(most + 2000), headers: packed })).toMatchObject(tooLarge)
  })

  test('holds a thousand nights', async () => {
    const { token } = await signUp(server)
    const { unique_id } = await addChild(server, token)
    const nights = Array.from({ length: 1000 }, (_, n) => {
      const date = new Date(Date.UTC(2023, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
      const intensities = Array.from(
        { length: 60 },
        (_each, at) => 15 + (((n * at * 2_654_435_761) >>> 5) % 9),
      )
      return devlogItem(unique_id, `${date}T21:${String(n % 60).padStart(2, '0')}:00`, {
        log_file_id: n,
        intensities,
      })
    })
    const body = gzipSync(JSON.stringify(nights))
    expect((await server.post(UPLOAD, { body, headers: packed })).status).toBe(200)
  })
})

test('32 levels are the deepest, whoever reads them', async () => {
  const nested = (depth: number) =>
    `{"phone": "+821012345678", "more": ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const send = (body: string) =>
    server.post('/api/v1/alpha/auth/send-sms-auth', { body, headers: { 'content-type': 'application/json' } })
  expect((await send(nested(32))).status).toBe(200)
  const issue = { type: 'invalid', loc: ['body'] }
  expect(await send(nested(33))).toMatchObject({ status: 422, body: { detail: [issue] } })
})

test('nobody reads a body whose token is not good', async () => {
  const document = closedDocument() as { paths: Record<string, Record<string, DocumentedOperation>> }
  const takers = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, security = [], requestBody }]) =>
      requestBody && security.some((scheme) => 'accessToken' in scheme || 'serviceToken' in scheme)
        ? [
            {
              path: path.replaceAll(/\{\w+\}/g, '1'),
              method,
              operationId,
              isOptional: security.some((scheme) => Object.keys(scheme).length === 0),
            },
          ]
        : [],
    ),
  )
  expect(takers.length).toBeGreaterThan(15)
  const broken = { body: '{"a', headers: { 'content-type': 'application/json' } }
  for (const { path, method, operationId, isOptional } of takers)
    for (const token of [...(isOptional ? [] : [undefined]), 'x.y.z', 'x'.repeat(43)]) {
      const sent = { ...broken, ...(token === undefined ? {} : { token }) }
      const name = method.toLowerCase()
      if (!isMethod(name)) throw new Error(name)
      const statuses = [
        (await server[name](path, sent)).status,
        (await server.post(`/trpc/${operationId}`, sent)).status,
      ]
      // Files are served over REST alone.
      expect([operationId, token, statuses]).toEqual([
        operationId,
        token,
        [401, operationId === 'account.exportData' ? 404 : 401],
      ])
    }
})

const isMethod = (name: string) => name === 'post' || name === 'patch' || name === 'put' || name === 'delete'
