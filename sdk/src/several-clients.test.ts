import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { patiently } from '../testing/settle.ts'
import { serviceInMemory } from '../testing/service-in-memory.ts'
import { queuedNotes, rounds, severalProcesses } from '../testing/several-processes.ts'

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

// test/sdk/several-clients.test.ts does the same, less often, against the real service.
test('1 to 4 processes over one storage sign nobody out, whatever answers are lost and whoever is killed', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const { start, round, reasons } = severalProcesses('https://companion.test', serviceInMemory().fetch)
      await patiently(start().companion.auth.signIn({ username: '', password: '' }))
      for (const each of all) {
        vi.setSystemTime(Date.now() + 900_000)
        for (const companion of await patiently(round(each)))
          expect(await patiently(companion.account.me())).toMatchObject({ root_user_id: 7 })
        expect(reasons).toEqual([])
      }
      vi.clearAllTimers()
    }),
    { numRuns: 100 },
  )
})

test('1 to 4 processes over one storage lose no note and send none twice or late, whatever is lost and whoever is killed', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const service = serviceInMemory()
      const processes = severalProcesses('https://companion.test', service.fetch)
      await patiently(processes.start().companion.auth.signIn({ username: '', password: '' }))
      const sent: { day: string; memo: string }[] = []
      service.instead = ({ path, input }) => {
        const { created_at, memo } = Object(input)
        if (path === 'calendar.saveEvent') sent.push({ day: created_at, memo })
        return undefined
      }
      const { round, issues } = queuedNotes(processes, 1, sent)
      for (const each of all) await patiently(round(each))
      expect(await patiently(issues())).toEqual({ lost: [], doubled: [], overtaken: [] })
      vi.clearAllTimers()
    }),
    { numRuns: 100 },
  )
})
