import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { startPrism, violationsIn } from '../support/prism.ts'
import { useServer } from '../support/server.ts'

/*
 * A family, its devices and the services that it has let in, who all speak through a proxy that validates requests and responses
 * by the OpenAPI document. `test/meta/document-replay.test.ts` judges what all other tests have said.
 */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

let prism: Awaited<ReturnType<typeof startPrism>>
beforeAll(async () => {
  prism = await startPrism(server.url)
})
afterAll(() => prism.stop())

test('a tour of all operations violates the document nowhere', async () => {
  const violations: string[] = []
  const proxied = createClient(`http://127.0.0.1:${prism.port}`, { isProxied: true })
  const judged =
    (name: keyof Client): Client['get'] =>
    async (path, options) => {
      const response = await proxied[name](path, options)
      for (const { location, message } of violationsIn(response.headers.get('sl-violations')))
        violations.push(`${name} ${path} ${response.status}: ${location.join('.')} ${message}`)
      return response
    }
  const client: Client = {
    get: judged('get'),
    post: judged('post'),
    put: judged('put'),
    patch: judged('patch'),
    delete: judged('delete'),
  }
  const { url, config, database, databaseUrl, log, outbox, trailWritten } = server
  const own = { url, config, database, databaseUrl, log, outbox, trailWritten }
  const calls = await goodCalls({ ...own, ...client }, provider)
  const statuses: Record<string, number> = {}
  for (const [path, call] of calls) statuses[path] = (await call()).status
  expect(violations).toEqual([])
  expect(statuses).toEqual(Object.fromEntries(operations(appRouter).map(({ path }) => [path, 200])))
})
