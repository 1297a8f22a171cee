import { beforeAll, expect, test } from 'vitest'
import { addDays, today } from '@companion/server/time/wall-clock.ts'
import { connectClinic, newClinic } from '../../support/clinics.ts'
import { addClinician, clinicOf } from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

const planned = { nights_per_week: 5, minutes: 420 }

let owner: Account
let real_user_id: number
let clinic_id: number
let doctor: Clinician
beforeAll(async () => {
  owner = await signUp(server)
  ;({ real_user_id } = await addChild(server, owner.token))
  const clinic = await newClinic(server)
  clinic_id = clinic.clinic_id
  await connectClinic(server, owner, { code: clinic.code, real_user_id })
  doctor = await addClinician(server, clinic_id)
})

test('a clinic sets the plan that parents see, as its own', async () => {
  const { planNights, children } = clinicOf(server, clinic_id)
  const { status, body } = await planNights(doctor, real_user_id, { ...planned, bedtime: '21:00' })
  const plan = {
    plan_id: expect.any(Number),
    real_user_id,
    from: today(server.config.timeZone),
    ...planned,
    bedtime: '21:00',
    set_by: 'clinic',
    set_at: expect.stringMatching(/Z$/),
  }
  expect({ status, body }).toEqual({ status: 200, body: plan })
  const query = { real_user_id }
  expect((await server.get('/api/v1/beta/plan', { token: owner.token, query })).body.current).toEqual(body)
  expect((await children(doctor)).body.items).toMatchObject([{ plan: planned }])
  // The parent's takes its place, and its id.
  const json = { real_user_id, ...planned }
  const own = await server.put('/api/v1/beta/plan', { token: owner.token, json })
  expect(own.body).toMatchObject({ plan_id: body.plan_id, set_by: 'parent' })
})

test('others do not, nor this clinic for a child that is not connected', async () => {
  const other = await newClinic(server)
  const stranger = await addClinician(server, other.clinic_id, { role: 'admin' })
  for (const nobody of [stranger, owner])
    expect(await clinicOf(server, clinic_id).planNights(nobody, real_user_id, planned)).toMatchObject({
      status: 404,
      body: { detail: 'Clinic not found' },
    })
  expect(await clinicOf(server, other.clinic_id).planNights(stranger, real_user_id, planned)).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})

test('at most 100 plans, within a year, and no other numbers', async () => {
  const { planNights } = clinicOf(server, clinic_id)
  const first = addDays(today(server.config.timeZone), -300)
  await server.database.pool.query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
     SELECT $1, $2::date + n, 5, 300, 'parent', now() FROM generate_series(0, 98) n`,
    [real_user_id, first],
  )
  const from = addDays(first, 150)
  expect(await planNights(doctor, real_user_id, { ...planned, from })).toMatchObject({
    status: 409,
    body: { detail: 'Too many plans' },
  })
  expect((await planNights(doctor, real_user_id, { ...planned, from: first })).status).toBe(200)
  for (const wrong of [
    { nights_per_week: 8 },
    { minutes: 0 },
    { from: addDays(first, -100) },
    { bedtime: '9pm' },
  ])
    expect((await planNights(doctor, real_user_id, { ...planned, ...wrong })).status).toBe(422)
})

test('a member whose removal was answered while the child was waited for sets no plan', async () => {
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const { members, removeMember, planNights } = clinicOf(server, clinic_id)
  const { body } = await members(admin)
  const { member_id } = body.members.find(({ email }: { email: string }) => email === doctor.email)
  const from = addDays(today(server.config.timeZone), 9)
  const response = await inBetween(server, {
    lock: `SELECT FROM real_user WHERE id = ${real_user_id} FOR NO KEY UPDATE`,
    change: async () => expect((await removeMember(admin, member_id)).status).toBe(200),
    call: () => planNights(doctor, real_user_id, { ...planned, from }),
  })
  expect(response).toMatchObject({ status: 404, body: { detail: 'Clinic not found' } })
})
