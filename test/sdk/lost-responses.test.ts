import { createCompanion } from '@companion/sdk'
import { expect, test } from 'vitest'
import { keepsResponseByKey } from '@companion/server/http/endpoint.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { startFailingProxy } from '../support/machines/failing-proxy.ts'
import { newClinic } from '../support/clinics.ts'
import { addClinician, anyDoctor, authenticatorOf } from '../support/clinicians.ts'
import { addDevice, anyEmail, anyPhone, childProfile, PASSWORD, signUp, smsCode } from '../support/family.ts'
import { OFFERED_FIRMWARE, offerFirmware } from '../support/firmware.ts'
import { addBasestation } from '../support/basestations.ts'
import { grantDirectly } from '../support/oauth.ts'
import { startReceiver } from '../support/outside/receiver.ts'
import type { Receiver } from '../support/outside/receiver.ts'
import { useServer } from '../support/server.ts'
import { invitationToken } from '../support/shares.ts'
import { scores } from '../support/surveys.ts'
import { serviceFor } from '../support/webhooks.ts'

/*
 * A proxy loses every tenth response to each kind of write. The SDK tries again, so that each write happens once, and none is told
 * as failed. `LOST_RESPONSES` says how many writes there are; `LOST_RESPONSES=10000` takes some minutes.
 */

const WRITES_OF_A_FAMILY = 49
const families = Math.ceil(Number(process.env['LOST_RESPONSES'] ?? 192) / WRITES_OF_A_FAMILY)

const server = useServer()
const kept = operations(appRouter).flatMap(({ path, operation }) =>
  keepsResponseByKey(operation) ? [path] : [],
)

/** How many responses there were to each kind of write, by its name. */
const answered = new Map(kept.map((path) => [path, 0]))
let lost = 0
let receiver: Receiver

/** How many rows there are. */
async function rows(table: string, where: string, ...values: unknown[]): Promise<number> {
  const { rowCount } = await server.database.pool.query(`SELECT FROM ${table} WHERE ${where}`, values)
  return rowCount ?? 0
}

/** Makes every kind of write once, or more often, one after the other. */
async function family(baseUrl: string) {
  const account = await signUp(server)
  const guest = await signUp(server)
  const sdk = createCompanion({ baseUrl })
  await sdk.auth.signIn({ username: account.email, password: PASSWORD })
  const profile = { ...childProfile, gender: 'F' } as const
  const child = await sdk.children.create({ ...profile, ...(await addDevice(server)) })
  const { real_user_id } = child

  for (const n of [1, 2, 3]) {
    await sdk.surveys.submit({ real_user_id, ...scores(n) })
    await sdk.calendar.saveEvent({ real_user_id, created_at: `2026-03-0${n}`, memo: `Note ${n}` })
  }
  expect(await rows('survey', 'real_user_id = $1', real_user_id)).toBe(3)
  expect(await rows('event', 'real_user_id = $1 AND version = 1', real_user_id)).toBe(3)

  await sdk.account.giveConsent({ kind: 'terms', version: '1', given: true })
  await sdk.account.giveConsent({ kind: 'terms', version: '1', given: false })
  expect(await rows('consent', `root_user_id = $1 AND version = '1' AND kind = 'terms'`, account.id)).toBe(2)

  const plan = await sdk.plans.set({ real_user_id, nights_per_week: 6, minutes: 300 })
  await sdk.plans.remove({ plan_id: plan.plan_id })

  const device = await sdk.devices.connect({ real_user_id, ...(await addDevice(server)) })
  await sdk.devices.rename({ device_id: device.device_id, device_alias: 'Left' })
  await offerFirmware(server, device.device_id)
  const reported = { device_id: device.device_id, firmware_id: OFFERED_FIRMWARE }
  await sdk.firmware.report({ ...reported, outcome: 'started' })
  await sdk.devices.disconnect({ device_id: device.device_id })
  const { serial_code, unique_id } = await addBasestation(server)
  const { basestation_id } = await sdk.basestations.connect({ serial_code, unique_id })
  await sdk.basestations.disconnect({ basestation_id })
  expect(await rows('basestation_connection', 'basestation_id = $1', basestation_id)).toBe(1)

  await sdk.shares.invite({ real_user_id, role: 'guardian', email: guest.email })
  const withdrawn = await sdk.shares.invite({ real_user_id, role: 'viewer', email: anyEmail() })
  await sdk.shares.withdraw({ invitation_id: withdrawn.invitation_id })
  const mails = (await server.outbox()).filter(
    ({ to, link }) => to === guest.email && link?.includes('invitation'),
  )
  expect(mails).toHaveLength(1)
  const visitor = createCompanion({ baseUrl, accessToken: guest.token })
  const { share_id } = await visitor.shares.accept({ token: await invitationToken(server, guest.email) })
  const toGuest = { real_user_id, share_id, password: PASSWORD }
  await sdk.shares.offerTransfer(toGuest)
  await sdk.shares.withdrawTransfer({ real_user_id })
  await sdk.shares.offerTransfer(toGuest)
  await visitor.shares.acceptTransfer({ real_user_id })
  const share = async (client: typeof visitor) =>
    (await client.shares.list({ real_user_id })).members[0]?.share_id ?? 0
  await visitor.shares.offerTransfer({ real_user_id, share_id: await share(visitor), password: PASSWORD })
  await sdk.shares.acceptTransfer({ real_user_id })
  expect(await rows('membership', 'real_user_id = $1', real_user_id)).toBe(3)
  await sdk.shares.end({ share_id: await share(visitor) })
  await sdk.grants.end({
    grant_id: await grantDirectly(server, { rootUserId: account.id, child: real_user_id }),
  })

  await clinic(baseUrl, sdk, real_user_id)

  const service = createCompanion({
    baseUrl,
    accessToken: (await serviceFor(server, account, [real_user_id])).own,
  })
  const url = `${receiver.url}/${account.id}`
  const { webhook_id } = await service.webhooks.create({ url })
  expect(await rows('webhook', 'url = $1', url)).toBe(1)
  await service.webhooks.rotateSecret({ webhook_id })
  await service.webhooks.enable({ webhook_id })
  await service.webhooks.ping({ webhook_id })
  expect(receiver.received.filter(({ path }) => path === `/${account.id}`)).toHaveLength(3)
  await service.webhooks.delete({ webhook_id })

  await sdk.account.update({ first_name: 'Minji' })
  await sdk.account.updatePolicy({ is_push_agree: true, push_token: 'x'.repeat(16) })
  await sdk.account.setPushToken({ token: 'y'.repeat(16) })
  await sdk.account.updateNotifications({
    is_device_muted: true,
    is_device_alim_talk_enabled: true,
    is_basestation_alert_enabled: true,
  })
  const phone = anyPhone()
  await sdk.account.changePhone({ phone, validnum: await smsCode(server, phone) })
  await sdk.account.sendEmailConfirmation()
  await sdk.account.changeEmail({ email: anyEmail(), password: PASSWORD })

  await sdk.children.update({ real_user_id, first_name: 'Mina' })
  await sdk.children.delete({ real_user_id, unique_id: child.unique_id })
  expect(await rows('real_user', 'root_user_id = $1', account.id)).toBe(1)
  await sdk.auth.signOut()
  await sdk.auth.signIn({ username: account.email, password: PASSWORD })
  await sdk.account.delete()
  expect(await rows('root_user', 'id = $1 AND deleted_at IS NULL', account.id)).toBe(0)
}

/** Lets a clinic in, and makes every kind of write that clinicians make. */
async function clinic(baseUrl: string, parent: ReturnType<typeof createCompanion>, real_user_id: number) {
  const { clinic_id, code } = await newClinic(server)
  const admin = await addClinician(server, clinic_id, { role: 'admin' })
  const doctor = await addClinician(server, clinic_id)
  const { connection_id } = await parent.clinics.connect({ code, real_user_id })
  const sdk = createCompanion({ baseUrl, accessToken: admin.token })
  await sdk.clinics.planNights({ clinic_id, real_user_id, nights_per_week: 5, minutes: 300 })
  await sdk.clinics.updatePlace({ clinic_id, real_user_id, record_number: 'A-1', is_seen: true })
  await parent.clinics.disconnect({ connection_id })
  expect(await rows('clinic_connection', 'real_user_id = $1', real_user_id)).toBe(1)
  const email = anyDoctor()
  const { invitation_id } = await sdk.clinics.inviteMember({ clinic_id, email, role: 'clinician' })
  expect((await server.outbox()).filter(({ to }) => to === email)).toHaveLength(1)
  await sdk.clinics.withdrawInvitation({ clinic_id, invitation_id })
  expect(await rows('clinic_invitation', 'clinic_id = $1', clinic_id)).toBe(0)
  const { members } = await sdk.clinics.listMembers({ clinic_id })
  const gone = members.find((each) => each.email === doctor.email)
  await sdk.clinics.removeMember({ clinic_id, member_id: gone?.member_id ?? 0 })
  const { challenge_id, options } = await sdk.account.newPasskeyOptions()
  const credential = { ...authenticatorOf(server).create(options), type: 'public-key' as const }
  const { passkey_id } = await sdk.account.addPasskey({ challenge_id, credential })
  expect(await rows('passkey', 'root_user_id = $1', admin.id)).toBe(2)
  await sdk.account.removePasskey({ passkey_id })
}

/** Loses the first and every tenth response after it to each kind of write. A call is never lost twice in a row. */
async function losingProxy(): Promise<string> {
  const before = new Map(kept.map((path) => [path, 0]))
  const { url } = await startFailingProxy(server.url, (call) => {
    const path = call.replace('POST /trpc/', '')
    const count = before.get(path)
    if (count === undefined) return undefined
    before.set(path, count + 1)
    answered.set(path, (answered.get(path) ?? 0) + 1)
    if (count % 10 !== 0) return undefined
    lost += 1
    return 'lost'
  })
  return url
}

test(
  'each write of the SDK happens once, and none is told as failed',
  { timeout: 60_000 + families * 10_000 },
  async () => {
    receiver = await startReceiver()
    let left = families
    const work = async () => {
      const baseUrl = await losingProxy()
      while (left-- > 0) await family(baseUrl)
    }
    await Promise.all(Array.from({ length: 6 }, work))
    expect(lost).toBeGreaterThan(families)
    expect([...answered].filter(([, count]) => count < families)).toEqual([])
  },
)
