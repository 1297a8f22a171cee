import { vi } from 'vitest'
import type { TestResponse } from './client.ts'
import { signUp } from './family.ts'
import type { Account } from './family.ts'
import type { TestServer } from './server.ts'

/** The expected result of `errorsByState`. */
export const stateErrors = [
  '401 Could not validate credentials',
  '401 User is None',
  '423 Access denied. Account blocked',
  '401 User is Deleted',
  '401 Token is expired',
]

/**
 * Collects the responses of calls about an account's own data to a garbled token, to the token of an account that is
 * gone, and to the account's own token while the account is blocked, deleted and finally expired. `calls` use another
 * token than the account's. Afterwards the clock is fake.
 */
export async function errorsByState(
  server: TestServer,
  { id }: Account,
  ...calls: ((token?: string) => Promise<TestResponse>)[]
): Promise<string[]> {
  const callAll = async (token?: string) => {
    const all = await Promise.all(calls.map((call) => call(token)))
    return [...new Set(all.map(({ status, body }) => `${status} ${body.detail}`))]
  }
  const become = (state: string) =>
    server.database.pool.query(`UPDATE root_user SET ${state} = now() WHERE id = $1`, [id])

  const said = await callAll('garbage')
  const gone = await signUp(server)
  await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [gone.id])
  said.push(...(await callAll(gone.token)))
  await become('blocked_at')
  said.push(...(await callAll()))
  await become('deleted_at')
  said.push(...(await callAll()))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 901_000 })
  said.push(...(await callAll()))
  return said
}
