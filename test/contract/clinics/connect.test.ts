import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clinics, newClinic } from '../../support/clinics.ts'
import type { AddedClinic } from '../../support/clinics.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { addChild, signIn, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'
import { addMember, mailTo } from '../../support/shares.ts'
import { until } from '../../support/until.ts'

const server = useServer()
const { connect, listConnections } = clinics(server)
afterEach(() => void vi.useRealTimers())

let owner: Account
let real_user_id: number
let clinic: AddedClinic
beforeEach(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  clinic = await newClinic(server)
})

test('the owner lets a clinic in, and is told by mail', async () => {
  const { code, clinic_id } = clinic
  const { status, body } = await connect(owner, {
    code: code.toLowerCase(),
    real_user_id,
    until: '2999-12-31',
  })
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      connection_id: expect.any(Number),
      clinic: { clinic_id, name: 'Seoul Sleep Clinic', url: 'https://clinic.example.org' },
      real_user_id,
      since: expect.stringMatching(/Z$/),
      until: '2999-12-31',
    },
  })
  const mail = await until(async () => {
    const found = await mailTo(server, owner.email)
    return (found['subject'] ?? '').includes('병원') ? found : undefined
  })
  expect(mail['text']).toContain('Seoul Sleep Clinic')
  const { rows } = await server.database.pool.query(
    `SELECT action, reason FROM security_record WHERE root_user_id = $1 AND action = 'clinic_connect'`,
    [owner.id],
  )
  expect(rows).toHaveLength(1)
})

test('the mail is English where the holder has chosen it', async () => {
  const switches = { is_device_muted: 0, is_device_alim_talk_enabled: 0, is_basestation_alert_enabled: 0 }
  const json = { ...switches, language: 'EN' }
  await server.patch('/api/v1/beta/user/notification', { token: owner.token, json })
  await connect(owner, { code: clinic.code, real_user_id })
  const subject = await until(async () => {
    const { subject: newest = '' } = await mailTo(server, owner.email)
    return newest.includes('clinic') ? newest : undefined
  })
  expect(subject).toBe('A clinic is connected to your Companion account')
})

test('it is the right of the owner', async () => {
  const guardian = await addMember(server, owner, { real_user_id, role: 'guardian' })
  for (const other of [guardian, await signUp(server)])
    expect(await connect(other, { code: clinic.code, real_user_id })).toMatchObject({
      status: 401,
      body: { detail: 'Not authorized user' },
    })
})

test('a child, or a clinic, that is not there is 404', async () => {
  expect(await connect(owner, { code: clinic.code, real_user_id: 2 ** 31 - 1 })).toMatchObject({
    status: 404,
    body: { detail: 'Real user is not found' },
  })
  expect(await connect(owner, { code: '7K3M-Q9RT-2WXD', real_user_id })).toMatchObject({
    status: 404,
    body: { detail: 'Clinic not found' },
  })
})

test.each(['2020-01-01', 'tomorrow', '2026-02-30'])('until %s is 422', async (date) => {
  expect((await connect(owner, { code: clinic.code, real_user_id, until: date })).status).toBe(422)
})

test('of 20 calls at once one connects', async () => {
  const calls = Array.from({ length: 20 }, () => connect(owner, { code: clinic.code, real_user_id }))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '409 Already shared': 19 })
  expect((await listConnections(owner, real_user_id)).body).toHaveLength(1)
})

test('an upload that has begun ends first: it has seen no clinic whose figures it would mark', async () => {
  const response = await inBetween(server, {
    lock: `SELECT FROM device WHERE real_user_id = ${real_user_id} FOR NO KEY UPDATE`,
    change: `UPDATE device SET last_upload_at = now() WHERE real_user_id = ${real_user_id}`,
    call: () => connect(owner, { code: clinic.code, real_user_id }),
  })
  expect(response.status).toBe(200)
})

test('a code that was replaced while the child was waited for lets nobody in', async () => {
  const { clinic_id, code } = await newClinic(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM device WHERE real_user_id = ${real_user_id} FOR NO KEY UPDATE`,
    change: `UPDATE clinic SET code = '222222222222' WHERE id = ${clinic_id}`,
    call: () => connect(owner, { code, real_user_id }),
  })
  expect(response).toMatchObject({ status: 404, body: { detail: 'Clinic not found' } })
})

test('after the last day of a connection the clinic is let in again', async () => {
  const date = new Date().toISOString().slice(0, 10)
  const { code } = clinic
  expect((await connect(owner, { code, real_user_id, until: date })).status).toBe(200)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
  const token: string = (await signIn(server, owner.email)).body.access_token
  expect((await listConnections({ token }, real_user_id)).body).toEqual([])
  expect((await connect({ token }, { code, real_user_id })).status).toBe(200)
})
