import type { OperationPath } from '@companion/server/router.ts'
import type { TestResponse } from './client.ts'
import {
  addChild,
  addDevice,
  anyEmail,
  anyPhone,
  childProfile,
  devlogItem,
  PASSWORD,
  signIn,
  signUp,
  signUpBody,
  smsCode,
  upload,
  validToken,
} from './family.ts'
import type { Account, DeviceCodes } from './family.ts'
import { clinics, connectClinic, newClinic } from './clinics.ts'
import {
  acceptInvitation,
  addClinician,
  anyDoctor,
  authenticatorOf,
  clinicOf,
  INVITATION,
  invitationTo,
  OWN_PASSKEYS,
  PASSKEY,
  passkeySignIn,
} from './clinicians.ts'
import { addBasestation, connectBasestation, reading, uploadReadings } from './basestations.ts'
import type { BasestationCodes } from './basestations.ts'
import { answerConfirmation, confirmationToken, confirmReset, resetToken } from './outside/mailbox.ts'
import { grantDirectly } from './oauth.ts'
import type { useOpenIdProvider } from './outside/openid.ts'
import { startReceiver } from './outside/receiver.ts'
import type { TestServer } from './server.ts'
import { OFFERED_FIRMWARE, offerFirmware } from './firmware.ts'
import { addMember, invitationToken, share, shares } from './shares.ts'
import { SOCIAL_SIGN_UP, socialClaims, socialSignIn, socialSignUp } from './outside/social.ts'
import { serviceFor, webhooks } from './webhooks.ts'

/*
 * A call of every operation that is answered 200. Add each new operation here: the access matrix, the trail and the tests of a
 * read-only database make these calls.
 */

export const DAY = '2026-03-01'

/** The things of one family that a call can name: a child, its device, event and shares, and a base station. */
export interface Named {
  real_user_id: number
  device: DeviceCodes & { device_id: number }
  basestation: BasestationCodes & { basestation_id: number }
  event_id: number
  plan_id: number
  share_id: number
  invitation_id: number
  grant_id: number
  connection_id: number
}

export interface Caller {
  token: string
}

/** A caller, the things that the call names, and what is connected or changed by it. */
export type Cell = Caller &
  Named & {
    freeDevice: DeviceCodes
    freeBasestation: BasestationCodes
    /** The event that `calendar.saveEvent` changes, instead of making one. */
    changedEvent?: number
    /** The code of a clinic that the child is not connected with. */
    clinicCode: string
  }

const codes = ({ serial_code, mac_id, unique_id }: DeviceCodes) => ({ serial_code, mac_id, unique_id })

/** Makes a child of an account with all that a call can name. `guardian` becomes a guardian of the child. */
export async function nameable(
  server: TestServer,
  { token, id }: Account,
  guardian: Account,
): Promise<Named> {
  const { real_user_id, ...device } = await addChild(server, token)
  await upload(server, [devlogItem(device.unique_id, `${DAY}T21:00:00`)])
  await offerFirmware(server, device.device_id)
  const event = await server.post('/api/v1/beta/event', {
    token,
    json: { real_user_id, created_at: DAY, memo: 'Slept well' },
  })
  const plan = await server.put('/api/v1/beta/plan', {
    token,
    json: { real_user_id, nights_per_week: 5, minutes: 240 },
  })
  const invited = await shares(server).invite({ token }, { real_user_id, email: anyEmail() })
  const { code } = await newClinic(server)
  const connected = await connectClinic(server, { token }, { code, real_user_id })
  return {
    real_user_id,
    device,
    basestation: await connectBasestation(server, token),
    event_id: event.body.event_id,
    plan_id: plan.body.plan_id,
    ...(await share(server, { token }, guardian, { real_user_id, role: 'guardian' })),
    invitation_id: invited.body.invitation_id,
    grant_id: await grantDirectly(server, { rootUserId: id, child: real_user_id }),
    connection_id: connected.connection_id,
  }
}

/** The calls of a family and its devices; those that end something are last. */
export const familyCalls = (server: TestServer) =>
  ({
    'account.me': ({ token }: Caller) => server.get('/api/v1/beta/user/me', { token }),
    'account.listConsents': ({ token }: Caller) => server.get('/api/v1/beta/user/consent', { token }),
    'account.exportData': ({ token, real_user_id }: Cell) =>
      server.post('/api/v1/beta/user/export', {
        token,
        json: { format: 'json', password: PASSWORD, real_user_id },
      }),
    'children.list': ({ token }: Caller) => server.get('/api/v1/beta/user/real-user', { token }),
    'children.read': ({ token, real_user_id }: Cell) =>
      server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token }),
    'children.create': ({ token, freeDevice }: Cell) =>
      server.post('/api/v2/beta/user/create-real-user', {
        token,
        json: { ...childProfile, ...codes(freeDevice) },
      }),
    'children.update': ({ token, real_user_id }: Cell) =>
      server.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
        token,
        json: { id: real_user_id, first_name: 'Changed' },
      }),
    'devices.time': () => server.get('/api/v1/gamma/device/time'),
    'devices.list': ({ token }: Caller) => server.get('/api/v1/beta/device', { token }),
    'devices.connect': ({ token, real_user_id, freeDevice }: Cell) =>
      server.post('/api/v1/beta/device', { token, json: { real_user_id, ...codes(freeDevice) } }),
    'devices.rename': ({ token, device }: Cell) =>
      server.patch(`/api/v1/beta/device/${device.device_id}`, { token, json: { device_alias: 'Changed' } }),
    'basestations.list': ({ token }: Caller) => server.get('/api/v1/beta/basestation', { token }),
    'basestations.connect': ({ token, freeBasestation: { serial_code, unique_id } }: Cell) =>
      server.post('/api/v1/beta/basestation', { token, json: { serial_code, unique_id } }),
    'basestations.uploadEnvironment': ({ basestation }: Cell) =>
      uploadReadings(server, [reading(basestation.unique_id, `${DAY}T22:00:00`)]),
    // Without a token the upload is the device's own.
    'devlogs.upload': ({ token, device }: Cell) =>
      upload(server, [devlogItem(device.unique_id, '2026-03-02T21:00:00')], {
        authorization: token === '' ? 'Bearer' : `Bearer ${token}`,
      }),
    'firmware.check': ({ token, device: { device_id } }: Cell) =>
      server.get('/api/v1/beta/ota', { token, query: { device_id } }),
    'firmware.download': ({ token, device: { device_id } }: Cell) =>
      server.get('/api/v1/beta/ota/file', { token, query: { device_id, firmware_id: OFFERED_FIRMWARE } }),
    'firmware.report': ({ token, device: { device_id } }: Cell) =>
      server.post('/api/v1/beta/ota/report', {
        token,
        json: { device_id, firmware_id: OFFERED_FIRMWARE, outcome: 'started' },
      }),
    'firmware.checkAsDevice': ({ device: { unique_id } }: Cell) =>
      server.get('/api/v1/gamma/device/firmware', { query: { unique_id } }),
    'firmware.downloadAsDevice': ({ device: { unique_id } }: Cell) =>
      server.get(`/api/v1/gamma/device/firmware/${OFFERED_FIRMWARE}`, { query: { unique_id } }),
    'firmware.reportAsDevice': ({ device: { unique_id } }: Cell) =>
      server.post('/api/v1/gamma/device/firmware/report', {
        json: { unique_id, firmware_id: OFFERED_FIRMWARE, outcome: 'started' },
      }),
    'devlogs.history': ({ device: { unique_id } }: Cell) =>
      server.get('/api/v1/gamma/device/history', { query: { unique_id } }),
    'devlogs.detail': ({ device: { unique_id } }: Cell) =>
      server.get('/api/v1/gamma/device/detail', { query: { unique_id, event_date: DAY } }),
    'devlogs.export': ({ device: { unique_id } }: Cell) =>
      server.get('/api/v1/gamma/device/export', { query: { unique_id, start_date: DAY, end_date: DAY } }),
    'treatments.list': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/treatment', { token, query: { real_user_id } }),
    'charts.recent': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id } }),
    'charts.recentByDate': ({ token, real_user_id }: Cell) =>
      server.get('/api/v2/beta/chart/recent', { token, query: { real_user_id } }),
    'charts.analysis': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/chart/analysis', { token, query: { real_user_id } }),
    'plans.list': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/plan', { token, query: { real_user_id } }),
    'plans.set': ({ token, real_user_id }: Cell) =>
      server.put('/api/v1/beta/plan', {
        token,
        json: { real_user_id, nights_per_week: 6, minutes: 300, bedtime: '21:00' },
      }),
    'nights.insight': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/insight', { token, query: { real_user_id } }),
    'surveys.submit': ({ token, real_user_id }: Cell) =>
      server.post('/api/v1/beta/survey', {
        token,
        json: { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
      }),
    'surveys.latest': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/chart/survey/analysis', { token, query: { real_user_id } }),
    'calendar.saveEvent': ({ token, real_user_id, changedEvent: event_id }: Cell) =>
      server.post('/api/v1/beta/event', {
        token,
        json: { real_user_id, event_id, created_at: DAY, memo: 'Changed' },
      }),
    'calendar.readDay': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/event', { token, query: { real_user_id, event_date: DAY } }),
    'calendar.history': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/event/history', { token, query: { real_user_id } }),
    'reports.pdf': ({ token, real_user_id, basestation: { basestation_id } }: Cell) =>
      server.get('/api/v1/beta/pdf/report', {
        token,
        query: { real_user_id, basestation_id, start_date: DAY, end_date: DAY },
      }),
    'reports.exportPdf': ({ token, real_user_id }: Cell) =>
      server.get('/api/v1/beta/pdf/export', {
        token,
        query: { real_user_id, current_date: DAY, select_mode: 0 },
      }),
    'shares.list': ({ token, real_user_id }: Cell) => shares(server).list({ token }, real_user_id),
    'shares.access': ({ token, real_user_id }: Cell) => shares(server).access({ token }, real_user_id),
    'shares.invite': ({ token, real_user_id }: Cell) =>
      shares(server).invite({ token }, { real_user_id, email: anyEmail() }),
    'shares.offerTransfer': ({ token, real_user_id, share_id }: Cell) =>
      shares(server).offerTransfer({ token }, { real_user_id, share_id }),
    // What was just offered.
    'shares.withdrawTransfer': ({ token, real_user_id }: Cell) =>
      shares(server).withdrawTransfer({ token }, real_user_id),
    'clinics.find': ({ token, clinicCode }: Cell) => clinics(server).find({ token }, clinicCode),
    'clinics.connect': ({ token, real_user_id, clinicCode: code }: Cell) =>
      clinics(server).connect({ token }, { code, real_user_id }),
    'clinics.listConnections': ({ token, real_user_id }: Cell) =>
      clinics(server).listConnections({ token }, real_user_id),
    'changes.list': ({ token }: Caller) => server.get('/api/v1/beta/changes', { token }),
    'grants.list': ({ token }: Caller) => server.get('/api/v1/beta/grant', { token }),
    'plans.remove': ({ token, plan_id }: Cell) => server.delete(`/api/v1/beta/plan/${plan_id}`, { token }),
    'shares.withdraw': ({ token, invitation_id }: Cell) => shares(server).withdraw({ token }, invitation_id),
    'shares.end': ({ token, share_id }: Cell) => shares(server).end({ token }, share_id),
    'clinics.disconnect': ({ token, connection_id }: Cell) =>
      clinics(server).disconnect({ token }, connection_id),
    'grants.end': ({ token, grant_id }: Cell) => server.delete(`/api/v1/beta/grant/${grant_id}`, { token }),
    'basestations.disconnect': ({ token, basestation }: Cell) =>
      server.delete(`/api/v1/beta/basestation/${basestation.basestation_id}`, { token }),
    'devlogs.delete': ({ device: { unique_id } }: Cell) =>
      server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } }),
    'devices.disconnect': ({ token, device }: Cell) =>
      server.delete(`/api/v1/beta/device/${device.device_id}`, { token }),
    'children.delete': ({ token, real_user_id, device: { unique_id } }: Cell) =>
      server.delete('/api/v1/beta/user/delete-real-user', { token, json: { real_user_id, unique_id } }),
  }) satisfies Partial<Record<OperationPath, (cell: Cell) => Promise<TestResponse>>>

type OtherPath = Exclude<OperationPath, keyof ReturnType<typeof familyCalls>>
type Call = () => Promise<TestResponse>
type Provider = ReturnType<typeof useOpenIdProvider>

const auth = '/api/v1/alpha/auth'
const user = '/api/v1/beta/user'

/** The other calls, about accounts, invitations and services; those that end a session or an account are last. */
async function otherCalls(server: TestServer, provider: Provider, account: Account, child: number) {
  const { token, email, refreshToken } = account
  const [leaving, forgetful, mover] = [await signUp(server), await signUp(server), await signUp(server)]
  const [newPhone, codePhone, recovered] = [anyPhone(), anyPhone(), mover.phone]
  const sent = {
    verify: await smsCode(server, codePhone),
    change: await smsCode(server, newPhone),
    recovery: await smsCode(server, recovered, 'recovery'),
  }
  const newcomer = anyPhone()
  const newcomerToken = await validToken(server, newcomer)
  const social = anyPhone()
  const socialToken = await validToken(server, social)
  const id_token = await provider.forge(socialClaims(provider))
  const known_id_token = await provider.forge(socialClaims(provider))
  await socialSignUp(server, known_id_token)
  const { password: _password, ...socialBody } = signUpBody(social)
  const reset = await resetToken(server, forgetful.email)
  const unproven = await signUp(server)
  const confirmation = await confirmationToken(server, unproven.email)
  const guest = await signUp(server)
  const { real_user_id: handed } = await addChild(server, token)
  await shares(server).invite({ token }, { real_user_id: child, email: guest.email })
  const invited = await invitationToken(server, guest.email)
  const heir = await addMember(server, { token }, { real_user_id: handed, role: 'guardian' })
  await shares(server).offerTransfer({ token }, { real_user_id: handed, share_id: heir.share_id })
  const receiver = await startReceiver()
  const hooks = webhooks(server, (await serviceFor(server, { email }, [child])).own)
  const { webhook_id } = (await hooks.create(receiver.url)).body
  const { clinic_id, code: clinicCode } = await newClinic(server)
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const doctor = await addClinician(server, clinic_id)
  const clinic = clinicOf(server, clinic_id)
  const patient = (await addChild(server, token)).real_user_id
  await connectClinic(server, account, { code: clinicCode, real_user_id: patient })
  const { members } = (await clinic.members(admin)).body
  const offered = await invitationTo(server, clinic_id)
  const clinician = await invitationTo(server, clinic_id)
  const mistaken = await clinic.invite(admin, { email: anyDoctor(), role: 'clinician' })
  const listed = await server.get(OWN_PASSKEYS, { token: doctor.token })
  const other = authenticatorOf(server)
  const made = await server.post(`${OWN_PASSKEYS}/options`, { token: doctor.token })
  const credential = other.create(made.body.options)
  return {
    'shares.accept': () => shares(server).accept(guest, invited),
    'shares.acceptTransfer': () => shares(server).acceptTransfer(heir, handed),
    'auth.openClinicianInvitation': () => server.post(INVITATION, { json: { token: offered } }),
    'auth.clinicianSignUp': () => acceptInvitation(server, clinician, authenticatorOf(server)),
    'auth.passkeySignInOptions': () => server.post(`${PASSKEY}/options`),
    'auth.passkeySignIn': () => passkeySignIn(server, doctor.authenticator),
    'account.listPasskeys': () => server.get(OWN_PASSKEYS, { token: doctor.token }),
    'account.newPasskeyOptions': () => server.post(`${OWN_PASSKEYS}/options`, { token: doctor.token }),
    'account.addPasskey': () =>
      server.post(OWN_PASSKEYS, {
        token: doctor.token,
        json: { challenge_id: made.body.challenge_id, credential },
      }),
    'account.removePasskey': () =>
      server.delete(`${OWN_PASSKEYS}/${listed.body[0].passkey_id}`, { token: doctor.token }),
    'clinics.listMemberships': () => clinic.memberships(doctor),
    'clinics.listMembers': () => clinic.members(admin),
    'clinics.inviteMember': () => clinic.invite(admin, { email: anyDoctor(), role: 'clinician' }),
    'clinics.listChildren': () => clinic.children(admin),
    'clinics.updatePlace': () => clinic.updatePlace(admin, patient, { record_number: 'A-1', is_seen: true }),
    'clinics.planNights': () => clinic.planNights(admin, patient, { nights_per_week: 5, minutes: 300 }),
    'clinics.withdrawInvitation': () => clinic.withdrawInvitation(admin, mistaken.body.invitation_id),
    'clinics.removeMember': () => clinic.removeMember(admin, members[1].member_id),
    'webhooks.create': () => hooks.create(`${receiver.url}/new`),
    'webhooks.list': () => hooks.list(),
    'webhooks.rotateSecret': () => hooks.rotate(webhook_id),
    'webhooks.ping': () => hooks.ping(webhook_id),
    'webhooks.enable': () => hooks.enable(webhook_id),
    'webhooks.delete': () => hooks.delete(webhook_id),
    'account.update': () => server.patch(`${user}/root-user`, { token, json: { first_name: 'Kim' } }),
    'account.giveConsent': () =>
      server.post(`${user}/consent`, { token, json: { kind: 'terms', version: '1', given: true } }),
    'account.updatePolicy': () =>
      server.patch(`${user}/policy`, { token, json: { is_push_agree: true, push_token: 'x'.repeat(16) } }),
    'account.setPushToken': () =>
      server.post(`${user}/push/set-token`, { token, json: { token: 'y'.repeat(16) } }),
    'account.updateNotifications': () =>
      server.patch(`${user}/notification`, {
        token,
        json: {
          is_device_muted: true,
          is_device_alim_talk_enabled: true,
          is_basestation_alert_enabled: true,
        },
      }),
    'account.changePhone': () =>
      server.post(`${user}/change-phone`, { token, json: { phone: newPhone, validnum: sent.change } }),
    'auth.listPhoneCountries': () => server.get(`${auth}/phone-country`),
    'auth.refresh': () => server.post(`${auth}/refresh-token`, { json: { refresh_token: refreshToken } }),
    'auth.sendSmsCode': () => server.post(`${auth}/send-sms-auth`, { json: { phone: anyPhone() } }),
    'auth.verifyPhone': () =>
      server.post(`${auth}/phone-number-validation`, { json: { phone: codePhone, validnum: sent.verify } }),
    'auth.findAccount': () =>
      server.post(`${auth}/find-account`, { json: { phone: recovered, validnum: sent.recovery } }),
    'auth.signIn': () => signIn(server, email),
    'auth.signUp': () =>
      server.post(`${auth}/email/signup`, { token: newcomerToken, json: signUpBody(newcomer) }),
    'auth.socialSignUp': () =>
      server.post(SOCIAL_SIGN_UP, {
        token: socialToken,
        json: { ...socialBody, register_type: 'S', provider: 'example', id_token },
      }),
    'auth.socialSignIn': () => socialSignIn(server, known_id_token),
    'auth.confirmEmail': () => answerConfirmation(server, confirmation, true),
    'account.sendEmailConfirmation': () => server.post(`${user}/email/confirmation`, { token: mover.token }),
    'account.changeEmail': () =>
      server.post(`${user}/change-email`, {
        token: mover.token,
        json: { email: anyEmail(), password: PASSWORD },
      }),
    'auth.requestPasswordReset': () =>
      server.post(`${auth}/email/password-reset`, { json: { email: mover.email } }),
    'auth.confirmPasswordReset': () => confirmReset(server, reset, 'another password'),
    'account.changePassword': () =>
      server.post(`${user}/change-password`, {
        token: mover.token,
        json: { current_password: PASSWORD, new_password: 'another password' },
      }),
    'auth.signOut': () => server.post(`${auth}/signout`, { token }),
    'account.delete': () => server.delete(`${user}/root-user`, { token: leaving.token }),
  } satisfies Record<OtherPath, Call>
}

/** Makes a family and all else that the calls need, and returns a call of every operation, in an order that they can have. */
export async function goodCalls(server: TestServer, provider: Provider): Promise<[string, Call][]> {
  const account = await signUp(server)
  const guardian = await signUp(server)
  const cell = async (): Promise<Cell> => ({
    token: account.token,
    ...(await nameable(server, account, guardian)),
    freeDevice: await addDevice(server),
    freeBasestation: await addBasestation(server),
    clinicCode: (await newClinic(server)).code,
  })
  const named = await cell()
  // Some calls take what another one has to leave alone.
  const sibling = await cell()
  const ofSibling = new Set(['children.create', 'children.delete'])
  return [
    ...Object.entries(familyCalls(server)).map(([path, call]): [string, Call] => [
      path,
      () => call(ofSibling.has(path) ? sibling : named),
    ]),
    ...Object.entries(await otherCalls(server, provider, account, named.real_user_id)),
  ]
}
