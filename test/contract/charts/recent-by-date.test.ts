import { beforeAll, expect, test } from 'vitest'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  await upload(server, [
    devlogItem(child.unique_id, '2026-03-05T21:00:00', {
      treatment_time: 100,
      last_intensity: 10,
      log_file_id: 1,
    }),
    devlogItem(child.unique_id, '2026-03-07T21:00:00', {
      treatment_time: 0,
      last_intensity: 0,
      log_file_id: 2,
    }),
  ])
})

const chart = (query: Record<string, string | number> = {}, token = parent.token, version = 'v2') =>
  server.get(`/api/${version}/beta/chart/recent`, {
    token,
    query: { real_user_id: child.real_user_id, current_date: '2026-03-07', ...query },
  })

test('every date is there: null without data, 0 with a use of no length, and the averages of version 1', async () => {
  const { status, body } = await chart()
  expect(status).toBe(200)
  const time = (day: number, treatment_time: number | null) => ({
    treatment_date: `2026-03-0${day}`,
    treatment_time,
  })
  expect(body.treatment_time_data).toEqual([
    ...[1, 2, 3, 4].map((day) => time(day, null)),
    time(5, 100),
    time(6, null),
    time(7, 0),
  ])
  expect(body.treatment_intensity_data[4]).toEqual({ treatment_date: '2026-03-05', last_intensity: 10 })
  expect(body.movement_data[5]).toEqual({ treatment_date: '2026-03-06', movement: null })
  const { body: first } = await chart({}, parent.token, 'v1')
  for (const name of ['avg_treatment_time', 'avg_treatment_intensity', 'avg_movement'])
    expect(body[name]).toBe(first[name])
  expect((await chart({ select_mode: 1 })).body.movement_data).toHaveLength(30)
})

test('errors', async () => {
  expect(await chart({ select_mode: 2 })).toMatchObject({
    status: 400,
    body: { detail: 'Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days' },
  })
  const stranger = await signUp(server)
  expect(await chart({}, stranger.token)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
  const own = await signUp(server)
  expect(
    await errorsByState(server, own, async (token) =>
      server.get('/api/v2/beta/chart/recent', {
        token: token ?? own.token,
        query: { real_user_id: child.real_user_id },
      }),
    ),
  ).toEqual(stateErrors)
})
