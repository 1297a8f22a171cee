import { randomInt, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { addChild, anyPhone, devlogItem, PASSWORD, signUp, upload } from './family.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/* What a family writes that nobody may read afterwards who has only the files, the tables or the logs. */

type Service = Pick<TestServer, 'post' | 'patch' | 'delete' | 'outbox' | 'database'>

export function canaries() {
  const network = `2001:db8:${randomInt(0x1000, 0xffff).toString(16)}:88::`
  return {
    email: `canary-${randomUUID()}@example.com`,
    phone: anyPhone(),
    parent: `Parent-${randomUUID()}`,
    family: `Family-${randomUUID()}`,
    parentBorn: '19030405',
    child: `Child-${randomUUID()}`,
    childBefore: `Before-${randomUUID()}`,
    childLast: `Last-${randomUUID()}`,
    childBorn: '20130506',
    memo: `memo-${randomUUID()}`,
    overwritten: `overwritten-${randomUUID()}`,
    medicine: `medicine-${randomUUID()}`,
    hospital: `hospital-${randomUUID()}`,
    alias: `alias-${randomUUID()}`,
    aliasBefore: `former-${randomUUID()}`,
    rejected: `set-aside-${randomUUID()}`,
    push: `push-token-${randomUUID()}`,
    invited: `invited-${randomUUID()}@example.com`,
    address: `${network}99`,
    network: `${network}/64`,
  }
}

type Canaries = ReturnType<typeof canaries>

/** A family that leaves each canary wherever it goes, and gets the answers it should. */
export async function live(service: Service, canary: Canaries) {
  const from = { 'x-forwarded-for': canary.address }
  const { token } = await signUp(service, canary)
  const { real_user_id, unique_id, device_id, serial_code } = await addChild(service, token)
  const ok = async (response: Promise<{ status: number }>, body?: object) =>
    expect(await response).toMatchObject({ status: 200, ...(body ? { body } : {}) })
  const names = { first_name: canary.parent, last_name: canary.family, birthdate: canary.parentBorn }
  await ok(service.patch('/api/v1/beta/user/root-user', { token, json: names }), names)
  const child = { first_name: canary.child, last_name: canary.childLast, birthdate: canary.childBorn }
  for (const json of [{ ...child, first_name: canary.childBefore }, child])
    await ok(
      service.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
        token,
        json: { id: real_user_id, ...json },
      }),
      json,
    )
  const event_data = {
    medication: [{ medication_name: canary.medicine, medication_dose: 10 }],
    hospital: [canary.hospital],
  }
  for (const memo of [canary.overwritten, canary.memo]) {
    const json = { real_user_id, created_at: '2026-03-01', memo, event_data }
    await ok(service.post('/api/v1/beta/event', { token, json }))
  }
  for (const device_alias of [canary.aliasBefore, canary.alias])
    await ok(service.patch(`/api/v1/beta/device/${device_id}`, { token, json: { device_alias } }), {
      device_alias,
    })
  const invited = { real_user_id, role: 'viewer', email: canary.invited }
  await ok(service.post('/api/v1/beta/share/invitation', { token, json: invited }))
  const bad = { ...devlogItem(unique_id, '1970-01-01T00:00:00'), note: canary.rejected }
  await ok(upload(service, [bad], { ...from, prefer: 'handling=lenient' }))
  await ok(upload(service, [devlogItem(unique_id, '2026-03-01T21:30:00')]))
  await ok(service.delete('/api/v1/gamma/device/devlog', { query: { unique_id }, headers: from }))
  const policy = { is_push_agree: true, push_token: canary.push }
  await ok(service.patch('/api/v1/beta/user/policy', { token, json: policy }))
  for (const password of ['wrong', PASSWORD])
    await service.post('/api/v1/alpha/auth/email/signin', {
      form: { username: canary.email, password },
      headers: from,
    })
  await service.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: 'x' }, headers: from })
  await ok(service.post('/api/v1/alpha/auth/email/password-reset', { json: { email: canary.email } }))
  await ok(
    service.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone: canary.phone, purpose: 'recovery' } }),
  )
  const { body } = await service.post('/api/v1/alpha/auth/email/signin', {
    form: { username: canary.email, password: PASSWORD },
  })
  await until(async () => {
    const { rows } = await service.database.pool.query(
      `SELECT FROM trail WHERE real_user_id = $1 AND old_value IS NOT NULL`,
      [real_user_id],
    )
    return rows.length >= 4
  })
  return { token: String(body.access_token), real_user_id, serialCode: serial_code, names, child, event_data }
}

/** The canaries in a file, or in a text. */
export function canariesIn(bytes: Buffer | string, canary: Record<string, string>): string[] {
  return Object.entries(canary).flatMap(([name, value]) =>
    [value, Buffer.from(value).toString('hex')].some((text) => bytes.includes(text)) ? [name] : [],
  )
}
