import { granted } from './oauth.ts'
import type { Account } from './family.ts'
import type { TestServer } from './server.ts'

const PATH = '/api/v1/beta/webhook'

/** The calls of a service about its webhooks, by `token`. */
export const webhooks = (server: Pick<TestServer, 'get' | 'post' | 'delete'>, token: string) => ({
  create: (url: string) => server.post(PATH, { token, json: { url } }),
  list: () => server.get(PATH, { token }),
  delete: (id: number) => server.delete(`${PATH}/${id}`, { token }),
  rotate: (id: number) => server.post(`${PATH}/${id}/rotate-secret`, { token, json: {} }),
  enable: (id: number) => server.post(`${PATH}/${id}/enable`, { token, json: {} }),
})

/** A service to which a parent has granted `children`, with a token of its own and one of the grant. */
export async function serviceFor(
  server: TestServer,
  parent: Pick<Account, 'email'>,
  children: number[],
  scope = 'usage:read',
) {
  const { clientCredentials, token, service } = await granted(server, parent, { scope, children })
  const { access_token } = await clientCredentials(scope)
  return { own: access_token, granted: token, service }
}
