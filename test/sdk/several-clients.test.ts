import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { rounds, severalProcesses } from '../../sdk/testing/several-processes.ts'
import { PASSWORD, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
afterEach(() => void vi.useRealTimers())

test('1 to 4 processes over one storage sign nobody out of the real service', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const { email, id } = await signUp(server)
      const { start, round, reasons } = severalProcesses(server.url, fetch)
      await start().companion.auth.signIn({ username: email, password: PASSWORD })
      for (const each of all) {
        vi.setSystemTime(Date.now() + 900_000)
        for (const companion of await round(each))
          expect(await companion.account.me()).toMatchObject({ root_user_id: id })
        expect(reasons).toEqual([])
      }
    }),
    { numRuns: 4 },
  )
})
