import { createCompanion, memoryStorage } from '@companion/sdk'
import type { Companion } from '@companion/sdk'
import { expect, test } from 'vitest'
import { TIMEOUT_MS as timeout, useBadNetwork } from '../support/machines/bad-network.ts'
import { addChild, devlogItem, PASSWORD, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const network = useBadNetwork(server)

const times = <Result>(count: number, make: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => make(index))

/** An app that is killed now and then, with all it was about to do, and started again over what it has saved. */
function killableApp() {
  const kept = memoryStorage()
  let started = 0
  return (): Companion => {
    const mine = ++started
    const alive = () => mine === started
    return createCompanion({
      baseUrl: network.url(),
      timeout,
      storage: {
        getItem: (key) => kept.getItem(key),
        setItem: (key, value) => alive() && kept.setItem(key, value),
        removeItem: (key) => alive() && kept.removeItem(key),
      },
      fetch: (url, init) => (alive() ? fetch(url, init) : new Promise(() => {})),
    })
  }
}

test('1,000 notes and logs of 20 phones, with answers lost and apps killed at random, are stored exactly once', async () => {
  const families = await Promise.all(
    times(20, async () => {
      const account = await signUp(server)
      const child = await addChild(server, account.token)
      const start = killableApp()
      await start().auth.signIn({ username: account.email, password: PASSWORD })
      return { child, start }
    }),
  )
  const day = (index: number) => `2026-03-${String(index + 1).padStart(2, '0')}`
  network.isBad = true
  await Promise.all(
    families.map(async ({ child: { real_user_id, unique_id }, start }) => {
      let app = start()
      for (let index = 0; index < 25; index++) {
        await app.outbox.saveEvent({ real_user_id, created_at: day(index), memo: `note ${index}` })
        const log = devlogItem(unique_id, `${day(index)}T21:30:00`, { log_file_id: index + 1 })
        await app.outbox.uploadDevlogs([{ ...log, detail_data: { ...log.detail_data, finish_flag: '1' } }])
        if (network.random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, 20))
        if (network.random.chance(0.2)) app = start()
      }
      while ((await app.outbox.list()).length > 0) {
        await app.outbox.send()
        if (network.random.chance(0.05)) app = start()
      }
    }),
  )
  expect(network.lost).toBeGreaterThan(100)
  const children = families.map(({ child }) => child.real_user_id)
  const stored = await server.database.pool.query(
    `SELECT 'note' AS kind, real_user_id, memo AS what, event_date::text AS day FROM event WHERE real_user_id = ANY ($1)
     UNION ALL
     SELECT 'log', real_user_id, log_file_id::text, treatment_date::date::text FROM treatment WHERE real_user_id = ANY ($1)`,
    [children],
  )
  const expected = children.flatMap((real_user_id) =>
    times(25, (index) => [
      { kind: 'note', real_user_id, what: `note ${index}`, day: day(index) },
      { kind: 'log', real_user_id, what: String(index + 1), day: day(index) },
    ]).flat(),
  )
  const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).toSorted()
  const { keyRing } = server.database
  const found = stored.rows.map((row) => ({ ...row, what: keyRing.decrypt('event.memo', row.what) }))
  expect(inOrder(found)).toEqual(inOrder(expected))
  expect(expected).toHaveLength(1000)
})
