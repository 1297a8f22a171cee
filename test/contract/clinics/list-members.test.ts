import { expect, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, anyDoctor, clinicOf, invitationTo } from '../../support/clinicians.ts'
import { signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

test('an admin sees who works in the clinic, and who is invited', async () => {
  const { clinic_id } = await newClinic(server)
  const admin = await addClinician(server, clinic_id, { role: 'admin', first_name: 'Dr. Seo' })
  const doctor = await addClinician(server, clinic_id)
  const email = anyDoctor()
  await invitationTo(server, clinic_id, { email, role: 'admin' })
  const { members } = clinicOf(server, clinic_id)
  const times = { created_at: expect.stringMatching(/Z$/), expires_at: expect.stringMatching(/Z$/) }
  const { status, body } = await members(admin)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      members: [
        {
          member_id: expect.any(Number),
          first_name: 'Dr. Seo',
          email: admin.email,
          role: 'admin',
          since: expect.any(String),
        },
        {
          member_id: expect.any(Number),
          first_name: 'Dr. Han',
          email: doctor.email,
          role: 'clinician',
          since: expect.any(String),
        },
      ],
      invitations: [{ invitation_id: expect.any(Number), email, role: 'admin', ...times }],
    },
  })
  expect(await members(doctor)).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  const other = await addClinician(server, (await newClinic(server)).clinic_id, { role: 'admin' })
  for (const stranger of [other, await signUp(server)])
    expect(await members(stranger)).toMatchObject({ status: 404, body: { detail: 'Clinic not found' } })
})
