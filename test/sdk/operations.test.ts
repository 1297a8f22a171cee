import { createCompanion } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { expect, test } from 'vitest'

/** Calls one method of the SDK, whatever it takes, against a service that answers everything alike. */
async function headersSent(path: string): Promise<Headers | undefined> {
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
    fetch: async (url, init) => {
      sent.set(
        /trpc\/([\w.]+)/.exec(url instanceof Request ? url.url : url.toString())?.[1] ?? '',
        new Headers(init?.headers),
      )
      return Response.json({ result: { data: tokens } })
    },
  })
  await companion.auth.signIn({ username: '', password: '' })
  sent.clear()
  const method: unknown = path
    .split('.')
    .reduce<unknown>((room, name) => Reflect.get(Object(room), name), companion)
  if (typeof method !== 'function') throw new Error(`The SDK has no method ${path}`)
  await method(path.includes('.upload') ? [] : { valid_token: 'valid' })
  return sent.get(path)
}

// The client refreshes by itself, and files do not come over tRPC.
const served = operations(appRouter).filter(
  ({ path, operation }) => path !== 'auth.refresh' && !operation.file,
)

test.each(served.map(({ path, operation }) => [path, operation.token] as const))(
  '%s has its method, which sends the %s token',
  async (path, token) => {
    const headers = await headersSent(path)
    const bearer = { access: 'Bearer access', valid: 'Bearer valid', 'optional access': null }
    expect(headers?.get('authorization')).toBe(token === undefined ? null : bearer[token])
  },
)
