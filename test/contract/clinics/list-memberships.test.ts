import { expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, clinicOf } from '../../support/clinicians.ts'
import { companion } from '../../support/command.ts'
import { signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('a clinician sees where they work', async () => {
  const { clinic_id, name } = await newClinic(server)
  const doctor = await addClinician(server, clinic_id)
  const { memberships } = clinicOf(server, clinic_id)
  expect((await memberships(doctor)).body).toEqual([{ clinic_id, name, role: 'clinician' }])
  await companion(server, 'clinic', 'remove', String(clinic_id))
  expect((await memberships(doctor)).body).toEqual([])
})

test('it is for clinicians', async () => {
  expect(await clinicOf(server, 1).memberships(await signUp(server))).toMatchObject({
    status: 401,
    body: { detail: 'Not authorized user' },
  })
})
