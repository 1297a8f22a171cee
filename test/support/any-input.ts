import type { ServedOperation } from '@companion/server/http/operations.ts'
import type { TestResponse, Client } from './client.ts'

/** One valid value for each field of any operation. An operation ignores fields that it does not know. */
const values: Record<string, unknown> = {
  real_user_id: 1,
  id: 1,
  device_id: 1,
  basestation_id: 1,
  select_mode: 0,
  year: 0,
  select_data: 0,
  current_date: '2026-03-01',
  event_date: '2026-03-01',
  start_date: '2026-03-01',
  end_date: '2026-03-02',
  created_at: '2026-03-01',
  unique_id: '0b3ad1a6-6a8e-4f0e-9c1c-1f6a4c2b7d10',
  serial_code: 'CMP-000001',
  mac_id: 'AB12',
  device_alias: 'Mina',
  first_name: 'Mina',
  last_name: '',
  birthdate: '20180203',
  gender: 'F',
  phone: '+821012345678',
  email: 'parent@example.com',
  username: 'parent@example.com',
  validnum: '000000',
  password: 'correct horse battery',
  current_password: 'correct horse battery',
  new_password: 'another horse battery',
  refresh_token: 'x',
  token: 'a-push-token-of-some-length',
  push_token: 'a-push-token-of-some-length',
  id_token: 'x',
  register_type: 'E',
  national_code: 'KR',
  is_push_agree: false,
  is_marketing_agree: false,
  is_device_muted: false,
  is_device_alim_talk_enabled: false,
  is_basestation_alert_enabled: false,
  is_child_named_in_alerts: false,
  is_bedtime_reminded: false,
  is_missing_night_told: false,
  language: 'KR',
  attention_score: 1,
  impulsivity_score: 1,
  disorder_score: 1,
  memo: '',
  event_data: { medication: [], hospital: [] },
  items: [],
  share_id: 1,
  invitation_id: 1,
  grant_id: 1,
  connection_id: 1,
  clinic_id: 1,
  member_id: 1,
  passkey_id: 1,
  challenge_id: 'x',
  record_number: 'A-1',
  is_seen: true,
  credential: {
    id: 'AA',
    rawId: 'AA',
    type: 'public-key',
    response: { clientDataJSON: 'AA', attestationObject: 'AA', authenticatorData: 'AA', signature: 'AA' },
  },
  'clinics.inviteMember.role': 'clinician',
  code: '7K3M-Q9RT-2WXD',
  webhook_id: 1,
  url: 'https://127.0.0.1/',
  role: 'viewer',
  plan_id: 1,
  firmware_id: 1,
  outcome: 'started',
  nights_per_week: 5,
  minutes: 420,
  kind: 'terms',
  version: '1',
  given: true,
  format: 'json',
}

/** Input that passes the schema of `served`, about things that need not exist. */
export const anyInput = ({ input, path }: ServedOperation): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(input.shape).flatMap((field) => {
      const name = [`${path}.${field}`, field].find((each) => each in values)
      return name === undefined ? [] : [[field, values[name]]]
    }),
  )

/** Calls an operation over REST with each field of `input` where it belongs: path, query, form or body. */
export function call(
  client: Client,
  { operation: { method, path, body } }: ServedOperation,
  input: Record<string, unknown>,
  token?: string,
): Promise<TestResponse> {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_brace, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed())
  })
  const texts = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  const content =
    method === 'GET' || (method === 'DELETE' && body === undefined)
      ? { query: texts }
      : body === 'form'
        ? { form: texts }
        : { json: typeof body === 'object' ? rest[body.array] : rest }
  const send = {
    GET: client.get,
    POST: client.post,
    PATCH: client.patch,
    PUT: client.put,
    DELETE: client.delete,
  }
  return send[method](filled, { ...content, ...(token === undefined ? {} : { token }) })
}
