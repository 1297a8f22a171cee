import { expect, onTestFinished, test } from 'vitest'
import { makeNights } from '@companion/device-simulator'
import { DEMO_EMAIL, DEMO_PASSWORD, demoDevice, makeDemoFamily } from '@companion/server/demo/family.ts'
import { addDays, wallClock } from '@companion/server/time/wall-clock.ts'
import { signIn, signUp, upload } from '../support/family.ts'
import { DEMO_CONSENT_VERSIONS } from '@companion/server/demo/consent-versions.ts'
import { startServer } from '../support/server.ts'

/** The demo in a zone whose morning is another date than that of New York. */
const morningAfter = (evening: string) => ({
  timeZone: 'Asia/Seoul',
  at: new Date(`${addDays(evening, 1)}T09:30:00+09:00`),
})

test.each([
  ['2026-03-05', 'the simulator leaves out'],
  ['2026-03-12', 'the simulator makes'],
])('the demo has the last night, of %s, which %s, after 120 days with a device', async (evening, word) => {
  const uniqueId = demoDevice(1).unique_id
  const made = makeNights({ seed: 1, nights: 1, until: evening, uniqueId })
  expect(made.length > 0).toBe(word === 'the simulator makes')
  const server = await startServer()
  onTestFinished(() => server.stop())
  const { timeZone, at } = morningAfter(evening)
  expect(wallClock(timeZone, at)).toBe(`${addDays(evening, 1)}T09:30:00`)
  expect(await makeDemoFamily(server.database, { timeZone, at })).toBe(true)

  const { access_token: token } = (await signIn(server, DEMO_EMAIL, DEMO_PASSWORD)).body
  const children = (await server.get('/api/v1/beta/user/real-user', { token })).body
  expect(children).toHaveLength(2)
  for (const { id } of children) {
    const query = {
      real_user_id: id,
      start_date: evening,
      end_date: addDays(evening, 1),
    }
    const { items } = (await server.get('/api/v1/beta/treatment', { token, query })).body
    expect(items.length, 'uses of the last night').toBeGreaterThan(0)
    expect(
      items.every((use: { treatment_date: string }) => use.treatment_date >= `${evening}T12:00:00`),
    ).toBe(true)
  }
  // The simulator repeats the nights that are there.
  const again = makeNights({ seed: 1, nights: 120, until: evening, uniqueId })
  const { treatments } = (
    await server.database.pool.query('SELECT count(*)::int AS treatments FROM treatment')
  ).rows[0]
  expect((await upload(server, again)).status).toBe(200)
  expect(
    (await server.database.pool.query('SELECT count(*)::int AS treatments FROM treatment')).rows,
  ).toEqual([{ treatments }])
  const { rows: paired } = await server.database.pool.query(
    'SELECT min(since)::date::text AS first FROM device_history',
  )
  expect(paired).toEqual([{ first: addDays(evening, -119) }])
})

test('the demo family has agreed to the texts of the demo, and a visitor who signs up is asked', async () => {
  const server = await startServer({ CONSENT_VERSIONS: JSON.stringify(DEMO_CONSENT_VERSIONS) })
  onTestFinished(() => server.stop())
  await makeDemoFamily(server.database)
  const me = async (token: string) => (await server.get('/api/v1/beta/user/me', { token })).body
  const { access_token: token } = (await signIn(server, DEMO_EMAIL, DEMO_PASSWORD)).body
  expect((await me(token)).missing_consents).toBe(undefined)
  const ledger = (await server.get('/api/v1/beta/user/consent', { token })).body
  expect(ledger.filter((entry: { version: string }) => entry.version === 'demo')).toHaveLength(4)
  expect((await me((await signUp(server)).token)).missing_consents).toHaveLength(4)
})
