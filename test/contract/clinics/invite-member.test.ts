import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import {
  acceptInvitation,
  addClinician,
  anyDoctor,
  authenticatorOf,
  clinicOf,
} from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { companion } from '../../support/command.ts'
import { signUp } from '../../support/family.ts'
import { tally } from '../../support/response-tally.ts'
import { startServer, useServer } from '../../support/server.ts'
import { invitationToken, mailTo } from '../../support/shares.ts'
import { temporaryFile } from '../../support/temporary-file.ts'

const server = useServer()

let clinic_id: number
let admin: Clinician
beforeAll(async () => {
  ;({ clinic_id } = await newClinic(server))
  admin = await addClinician(server, clinic_id, { role: 'admin' })
})

test('an admin invites by mail, in the language of the call, and the link is good', async () => {
  const { invite, memberships } = clinicOf(server, clinic_id)
  const email = anyDoctor()
  const { status, body } = await invite(admin, { email, role: 'clinician' }, { 'accept-language': 'ko' })
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      invitation_id: expect.any(Number),
      email,
      role: 'clinician',
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    },
  })
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 86_400_000)
  const mail = await mailTo(server, email)
  expect(mail['text']).toContain('Seoul Sleep Clinic')
  expect(mail['subject']).toContain('초대')
  expect(mail['link']).toMatch(/^http:\/\/localhost:\d+\/clinic\/invitation\?token=/)
  const accepted = await acceptInvitation(
    server,
    await invitationToken(server, email),
    authenticatorOf(server),
  )
  expect((await memberships({ token: accepted.body.access_token })).body).toHaveLength(1)
  const english = anyDoctor()
  await invite(admin, { email: english, role: 'admin' }, { 'accept-language': 'en' })
  expect((await mailTo(server, english))['subject']).toBe('Seoul Sleep Clinic invites you to Companion')
})

test('an operator invites the first one', async () => {
  const email = anyDoctor()
  const run = (...args: string[]) => companion(server, 'clinic', 'invite', ...args, '--json')
  // Where the command writes its mails.
  const outbox = await temporaryFile('outbox.jsonl', '')
  process.env['OUTBOX_FILE'] = outbox
  const { result, code } = await run(String(clinic_id), email, '--role', 'admin').finally(
    () => delete process.env['OUTBOX_FILE'],
  )
  expect({ result, code }).toEqual({
    code: 0,
    result: {
      clinic_id,
      invitation_id: expect.any(Number),
      email,
      role: 'admin',
      expires_at: expect.any(String),
    },
  })
  expect((await clinicOf(server, clinic_id).members(admin)).body.invitations).toContainEqual(
    expect.objectContaining({ email, role: 'admin' }),
  )
  expect((await run('4711', email, '--role', 'admin')).said).toBe('There is no clinic with this id\n')
  expect((await run(String(clinic_id), 'nobody', '--role', 'admin')).code).toBe(1)
  expect((await run(String(clinic_id), email, '--role', 'owner')).code).toBe(1)
})

test('nobody else invites, and no text that is no address', async () => {
  const { invite } = clinicOf(server, clinic_id)
  const fields = { email: anyDoctor(), role: 'clinician' }
  const doctor = await addClinician(server, clinic_id)
  expect(await invite(doctor, fields)).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  const other = await addClinician(server, (await newClinic(server)).clinic_id, { role: 'admin' })
  for (const stranger of [other, await signUp(server)])
    expect(await invite(stranger, fields)).toMatchObject({
      status: 404,
      body: { detail: 'Clinic not found' },
    })
  expect(await invite(admin, { ...fields, email: 'doctor' })).toMatchObject({
    status: 400,
    body: { detail: 'Email is not valid' },
  })
  expect((await invite(admin, { ...fields, role: 'owner' })).status).toBe(422)
})

const broken = useServer({
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'companion@example.org',
  PUBLIC_URL: 'https://companion.example.org',
})

test('an invitation whose mail is not sent is void', async () => {
  const clinic = await newClinic(broken)
  const chief = await addClinician(broken, clinic.clinic_id, { role: 'admin' })
  const { invite, members } = clinicOf(broken, clinic.clinic_id)
  expect(await invite(chief, { email: anyDoctor(), role: 'clinician' })).toMatchObject({
    status: 500,
    body: { detail: 'Email send failed' },
  })
  expect((await members(chief)).body.invitations).toEqual([])
})

const limited = useServer({ RATE_LIMITS: 'on' })

test('ten a day', async () => {
  const clinic = await newClinic(limited)
  const chief = await addClinician(limited, clinic.clinic_id, { role: 'admin' })
  const { invite } = clinicOf(limited, clinic.clinic_id)
  const calls = Array.from({ length: 12 }, () => invite(chief, { email: anyDoctor(), role: 'clinician' }))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 10, '429 Too many requests': 2 })
})

test('the link lies under a base URL with a path', async () => {
  const prefixed = await startServer({ PUBLIC_URL: 'https://api.example.com/companion' })
  onTestFinished(() => prefixed.stop())
  const clinic = await newClinic(prefixed)
  const email = anyDoctor()
  const inviting = await addClinician(prefixed, clinic.clinic_id, { role: 'admin' })
  expect(
    (await clinicOf(prefixed, clinic.clinic_id).invite(inviting, { email, role: 'clinician' })).status,
  ).toBe(200)
  expect((await mailTo(prefixed, email))['link']).toMatch(
    /^https:\/\/api\.example\.com\/companion\/clinic\/invitation\?token=/,
  )
})
