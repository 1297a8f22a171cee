import { beforeEach, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../../support/basestations.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
let station: Awaited<ReturnType<typeof connectBasestation>>
beforeEach(async () => {
  parent = await signUp(server)
  station = await connectBasestation(server, parent.token)
})

const measure = (day: number, temperature: number) =>
  uploadReadings(server, [reading(station.unique_id, `2026-03-0${day}T22:00:00`, { temperature })])
const alerts = async () =>
  (
    await server.database.sql
      .selectFrom('alert')
      .select(['channel', 'kind', 'real_user_id', 'device_id', 'basestation_id'])
      .where('root_user_id', '=', parent.id)
      .execute()
  ).map((alert) => ({ ...alert }))
const enable = () =>
  server.patch('/api/v1/beta/user/notification', {
    token: parent.token,
    json: { is_device_muted: true, is_device_alim_talk_enabled: true, is_basestation_alert_enabled: true },
  })

test('a reading outside the bounds alerts the parent who asked for it, once for a base station and date', async () => {
  await measure(1, 35)
  expect(await alerts()).toEqual([])
  await enable()
  await measure(1, 35)
  expect(await alerts()).toEqual([])
  await measure(2, 21)
  expect(await alerts()).toEqual([])
  const alert = {
    channel: 'push',
    kind: 'basestation_environment',
    real_user_id: null,
    device_id: null,
    basestation_id: station.basestation_id,
  }
  await measure(3, 28.1)
  await Promise.all([measure(3, 28.1), measure(3, 28.1)])
  expect(await alerts()).toEqual([alert])
  await measure(4, 15.9)
  expect(await alerts()).toEqual([alert, alert])
  await measure(5, 16)
  await measure(6, 28)
  expect(await alerts()).toHaveLength(2)
})

test('a night of such readings in one upload is one alert', async () => {
  await enable()
  const minutes = Array.from({ length: 60 }, (_, minute) => String(minute).padStart(2, '0'))
  const stuffy = { temperature: 31, humidity: 10 }
  const { status } = await uploadReadings(
    server,
    minutes.map((minute) => reading(station.unique_id, `2026-03-01T22:${minute}:00`, stuffy)),
  )
  expect(status).toBe(200)
  expect(await alerts()).toHaveLength(1)
})
