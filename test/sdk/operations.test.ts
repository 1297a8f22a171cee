import { createCompanion, memoryStorage } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { expect, test } from 'vitest'

// The client refreshes by itself.
// The client refreshes by itself, and devices have no SDK.
const served = operations(appRouter).filter(
  ({ path }) => path !== 'auth.refresh' && !path.endsWith('AsDevice'),
)

/** Calls one method of the SDK, whatever it takes, against a service that answers everything alike. */
async function headersSent(path: string): Promise<Map<string, Headers>> {
  const tokens = {
    access_token: 'access',
    expires_in: 900,
    refresh_token: 'refresh',
    refresh_expires_in: 9000,
    id: 7,
  }
  const sent = new Map<string, Headers>()
  const companion = createCompanion({
    baseUrl: 'https://companion.test',
    storage: { ...memoryStorage() },
    fetch: async (url, init) => {
      const { pathname } = new URL(url instanceof Request ? url.url : url)
      sent.set(pathname, new Headers(init?.headers))
      if (pathname.startsWith('/trpc/')) return Response.json({ result: { data: tokens } })
      const file = served.find(({ operation }) => operation.path === pathname)?.operation.file
      return new Response('', { headers: { 'content-type': file ?? '' } })
    },
  })
  await companion.auth.signIn({ username: '', password: '' })
  sent.clear()
  const method: unknown = path
    .split('.')
    .reduce<unknown>((module, name) => Reflect.get(Object(module), name), companion)
  if (typeof method !== 'function') throw new Error(`The SDK has no method ${path}`)
  await method(path.includes('.upload') ? [] : { valid_token: 'valid' })
  return sent
}

test.each(served.map(({ path, operation }) => [path, operation.token, operation] as const))(
  '%s has its method, which sends the %s token',
  async (path, token, operation) => {
    const sent = await headersSent(path)
    // Files do not come over tRPC.
    const headers = sent.get(operation.file ? operation.path : `/trpc/${path}`)
    expect(headers).toBeDefined()
    const bearer = { access: 'Bearer access', valid: 'Bearer valid', 'optional access': null }
    expect(headers?.get('authorization')).toBe(token === undefined ? null : bearer[token])
  },
)
