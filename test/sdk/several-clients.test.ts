import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { queuedNotes, rounds, severalProcesses } from '../../sdk/testing/several-processes.ts'
import { addChild, PASSWORD, signUp } from '../support/family.ts'
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

test('1 to 4 processes over one storage lose no note and send none twice or late to the real service', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (all) => {
      const { email, token } = await signUp(server)
      const { real_user_id } = await addChild(server, token)
      const sent: { day: string; memo: string }[] = []
      const processes = severalProcesses(server.url, (url, init) => {
        const { created_at, memo } = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
        if (memo !== undefined) sent.push({ day: created_at, memo })
        return fetch(url, init)
      })
      await processes.start().companion.auth.signIn({ username: email, password: PASSWORD })
      const { round, issues } = queuedNotes(processes, real_user_id, sent)
      for (const each of all) await round(each)
      expect(await issues()).toEqual({ lost: [], doubled: [], overtaken: [] })

      const { rows } = await server.database.pool.query(
        'SELECT event_date::text AS day, memo FROM event WHERE real_user_id = $1',
        [real_user_id],
      )
      const last = Object.fromEntries(sent.map(({ day, memo }) => [day, memo]))
      const { keyRing } = server.database
      expect(
        Object.fromEntries(rows.map(({ day, memo }) => [day, keyRing.decrypt('event.memo', memo)])),
      ).toEqual(last)
    }),
    { numRuns: 3 },
  )
})
