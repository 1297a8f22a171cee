import { randomInt, randomUUID } from 'node:crypto'
import { PASSWORD } from './password.ts'
import type { TestServer } from './server.ts'

/** A service in this process or in another. */
type Service = Pick<TestServer, 'post' | 'outbox'>
type WithDatabase = Pick<TestServer, 'database'>

export { PASSWORD }

export interface Account {
  id: number
  email: string
  phone: string
  token: string
  refreshToken: string
}

export interface DeviceCodes {
  serial_code: string
  mac_id: string
  unique_id: string
}

/** A Korean mobile number; 010-6 to 010-9 are assigned. */
export const anyPhone = () => `+8210${randomInt(60_000_000, 99_999_999)}`
export const anyEmail = () => `parent-${randomUUID()}@example.com`

export const signUpBody = (phone: string, email = anyEmail()) => ({
  email,
  password: PASSWORD,
  first_name: 'Kim Jiyoung',
  last_name: '',
  birthdate: '19850401',
  gender: 'F',
  phone,
  register_type: 'E',
  is_push_agree: false,
  is_marketing_agree: false,
  national_code: 'KR',
})

/** Sends a code to `phone` and reads it from the outbox. */
export async function smsCode(server: Service, phone: string, purpose?: 'recovery'): Promise<string> {
  const sent = await server.post('/api/v1/alpha/auth/send-sms-auth', {
    json: { phone, ...(purpose ? { purpose } : {}) },
  })
  if (sent.status !== 200) throw new Error(`SMS not sent: ${JSON.stringify(sent.body)}`)
  const message = (await server.outbox()).findLast(({ to }) => to === phone)
  return message?.['code'] ?? ''
}

export async function validToken(server: Service, phone: string): Promise<string> {
  const validnum = await smsCode(server, phone)
  const { body } = await server.post('/api/v1/alpha/auth/phone-number-validation', {
    json: { phone, validnum },
  })
  return body.valid_token
}

/** Signs up a new account, as an app does. */
export async function signUp(
  server: Service,
  { phone = anyPhone(), email = anyEmail() } = {},
): Promise<Account> {
  const token = await validToken(server, phone)
  const { status, body } = await server.post('/api/v1/alpha/auth/email/signup', {
    token,
    json: signUpBody(phone, email),
  })
  if (status !== 200) throw new Error(`Not signed up: ${JSON.stringify(body)}`)
  return { id: body.id, email, phone, token: body.access_token, refreshToken: body.refresh_token }
}

export const signIn = (server: Service, email: string, password = PASSWORD) =>
  server.post('/api/v1/alpha/auth/email/signin', { form: { username: email, password } })

/** Registers a device, as an operator does. */
export async function addDevice(server: WithDatabase): Promise<DeviceCodes> {
  const device = {
    serial_code: `CMP-${randomInt(10 ** 9)}`,
    mac_id: randomInt(0x10000).toString(16).toUpperCase().padStart(4, '0'),
    unique_id: randomUUID(),
  }
  await server.database.sql
    .insertInto('device')
    .values({ ...device, device_alias: device.serial_code })
    .execute()
  return device
}

export const childProfile = { first_name: 'Mina', last_name: '', birthdate: '20180203', gender: 'F' }

/** Adds a child with a connected device. */
export async function addChild(
  server: Service & WithDatabase,
  token: string,
): Promise<DeviceCodes & { real_user_id: number; device_id: number }> {
  const device = await addDevice(server)
  const { status, body } = await server.post('/api/v2/beta/user/create-real-user', {
    token,
    json: { ...childProfile, ...device },
  })
  if (status !== 200) throw new Error(`No child created: ${JSON.stringify(body)}`)
  return { ...device, real_user_id: body.real_user_id, device_id: body.device_id }
}

/** One usage log as a device sends it. */
export const devlogItem = (
  unique_id: string,
  treatment_date: string,
  {
    log_file_id = 1,
    intensities = [3, 9],
    is_temp,
    ...detail
  }: Partial<{
    log_file_id: number
    intensities: number[]
    is_temp: boolean
    treatment_time: number
    last_intensity: number
    finish_flag: string | number
    movement: number
  }> = {},
) => ({
  unique_id,
  detail_data: {
    treatment_date,
    finish_flag: '1',
    last_intensity: intensities.at(-1) ?? 0,
    treatment_time: 720,
    ...detail,
  },
  intensity_record: intensities.map((intensity) => ({ intensity })),
  log_file_id,
  ...(is_temp === undefined ? {} : { is_temp }),
})

export const upload = (server: Service, items: unknown[], headers: Record<string, string> = {}) =>
  server.post('/api/v1/gamma/device/devlog', { json: items, headers })
