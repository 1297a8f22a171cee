import { execFile, spawnSync } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeNights, truthOf, upload } from '@companion/device-simulator'
import { createCompanion } from '@companion/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyPhone, childProfile, PASSWORD, signUpBody, smsCode } from '../support/family.ts'
import { companion, startServiceProcess } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'

const run = promisify(execFile)
const LAST = '2026-11-15'
const misbehaviour = { retries: 0.4, duplicates: 0.4, shuffle: true, cut: 0.2, gzip: true }

let directory: string
let service: ServiceProcess
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'companion-story-'))
  service = await startServiceProcess(directory)
  await service.readiness(200)
})
afterAll(async () => {
  service.terminate()
  await service.exited
  await rm(directory, { recursive: true, force: true })
})

/** A device, registered by the operator's command line beside the running service. */
async function registerDevice() {
  const device = { serial_code: `CMP-${randomInt(10 ** 9)}`, mac_id: '1A2B', unique_id: randomUUID() }
  const options = Object.entries(device).flatMap(([name, value]) => [`--${name.replace('_', '-')}`, value])
  const registered = JSON.parse(await companion(directory, ['device', 'add', '--json', ...options]))
  expect(registered).toMatchObject({ device_id: expect.any(Number), ...device })
  return device
}

type Items = ReturnType<typeof makeNights>

async function uploadNights(items: Items): Promise<void> {
  const report = await upload({
    url: service.url,
    items,
    misbehaviour,
    batch: 4,
    policy: { firstPause: 20, attempts: 20 },
  })
  expect(report).toMatchObject({ ok: true, items_acknowledged: items.length, items_rejected: 0 })
  expect(report.repeated).toBeGreaterThan(0)
  expect(report.cut).toBeGreaterThan(0)
  expect(report.truth).toEqual(truthOf(items))
}

/** The chart, summed up from the items by hand: every record once. */
function expectedChart(items: Items) {
  const dates = [...new Set(items.map((item) => item.detail_data.treatment_date.slice(0, 10)))].toSorted()
  const days = dates.map((treatment_date) => {
    const sessions = items
      .map((item) => item.detail_data)
      .filter((each) => each.treatment_date.startsWith(treatment_date))
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
    const intensity = sum(sessions.map(({ last_intensity }) => last_intensity))
    return {
      treatment_date,
      treatment_time: sum(sessions.map(({ treatment_time }) => treatment_time)),
      // In whole tenths, halves up.
      last_intensity: Math.floor((20 * intensity + sessions.length) / (2 * sessions.length)) / 10,
      movement: sum(sessions.map(({ movement = 0 }) => movement)),
    }
  })
  const mean = (field: 'treatment_time' | 'last_intensity' | 'movement') =>
    days.reduce((total, day) => total + day[field], 0) / days.length
  return {
    treatment_time_data: days.map(({ treatment_date, treatment_time }) => ({
      treatment_date,
      treatment_time,
    })),
    treatment_intensity_data: days.map(({ treatment_date, last_intensity }) => ({
      treatment_date,
      last_intensity,
    })),
    movement_data: days.map(({ treatment_date, movement }) => ({ treatment_date, movement })),
    avg_treatment_time: mean('treatment_time'),
    avg_treatment_intensity: mean('last_intensity'),
    avg_movement: mean('movement'),
  }
}

test('the nights of the story are worth summing', () => {
  const items = makeNights({ seed: 7, nights: 30, until: LAST, uniqueId: randomUUID() })
  const { treatment_time_data } = expectedChart(items)
  expect(treatment_time_data.length).toBeGreaterThan(20)
  expect(treatment_time_data.length).toBeLessThan(30)
  expect(items.length).toBeGreaterThan(treatment_time_data.length)
})

describe('from the SMS code to the chart', () => {
  const hasCurl = spawnSync('curl', ['--version']).status === 0

  async function curl(path: string, ...options: string[]): Promise<any> {
    const { stdout } = await run('curl', [
      '--silent',
      '--show-error',
      '--fail-with-body',
      ...options,
      `${service.url}${path}`,
    ])
    return JSON.parse(stdout)
  }
  const post = (path: string, json: object, token = '') =>
    curl(path, '--json', JSON.stringify(json), '--header', `Authorization: Bearer ${token}`)

  test.skipIf(!hasCurl && process.env['CI'] !== 'true')(
    'by curl, and then by the SDK, the numbers are those of the device',
    async () => {
      const phone = anyPhone()
      expect(await post('/api/v1/alpha/auth/send-sms-auth', { phone })).toBe(true)
      const validnum = (await service.outbox()).findLast(({ to }) => to === phone)?.['code']
      const { valid_token } = await post('/api/v1/alpha/auth/phone-number-validation', { phone, validnum })
      const profile = signUpBody(phone)
      const { access_token } = await post('/api/v1/alpha/auth/email/signup', profile, valid_token)
      const device = await registerDevice()
      const child = await post(
        '/api/v2/beta/user/create-real-user',
        { ...childProfile, ...device },
        access_token,
      )
      const items = makeNights({ seed: 7, nights: 30, until: LAST, uniqueId: device.unique_id })
      await uploadNights(items)

      const expected = expectedChart(items)
      const query = `real_user_id=${child.real_user_id}&select_mode=1&current_date=${LAST}`
      const byCurl = await curl(
        `/api/v1/beta/chart/recent?${query}`,
        '--header',
        `Authorization: Bearer ${access_token}`,
      )
      expect(byCurl).toEqual(expected)
      const byHttp = await service.get(`/api/v1/beta/chart/recent?${query}`, { token: access_token })
      expect(byHttp.body).toEqual(expected)

      const app = createCompanion({ baseUrl: service.url })
      await app.auth.signIn({ username: profile.email, password: PASSWORD })
      const bySdk = await app.charts.recent({
        real_user_id: child.real_user_id,
        select_mode: 1,
        current_date: LAST,
      })
      expect(bySdk).toEqual(expected)
    },
  )

  test('by the SDK alone, and then by plain HTTP, the numbers are those of the device', async () => {
    const app = createCompanion({ baseUrl: service.url })
    const phone = anyPhone()
    const validnum = await smsCode(service, phone)
    const { valid_token } = await app.auth.verifyPhone({ phone, validnum })
    const profile = { ...signUpBody(phone), gender: 'F', register_type: 'E' } as const
    await app.auth.signUp({ ...profile, valid_token })
    const device = await registerDevice()
    const { real_user_id } = await app.children.create({ ...childProfile, gender: 'F', ...device })
    const items = makeNights({ seed: 8, nights: 30, until: LAST, uniqueId: device.unique_id })
    await uploadNights(items)

    const expected = expectedChart(items)
    const window = { real_user_id, select_mode: 1, current_date: LAST } as const
    expect(await app.charts.recent(window)).toEqual(expected)
    const { body } = await service.post('/api/v1/alpha/auth/email/signin', {
      form: { username: profile.email, password: PASSWORD },
    })
    const byHttp = await service.get('/api/v1/beta/chart/recent', { token: body.access_token, query: window })
    expect(byHttp.body).toEqual(expected)

    // The device forgets what it has sent and sends it all again.
    await uploadNights(items)
    expect(await app.charts.recent(window)).toEqual(expected)
  })
})
