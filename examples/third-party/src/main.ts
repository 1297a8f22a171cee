import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import createClient from 'openapi-fetch'
import type { paths } from './companion-api.ts'

/* Brings a device's log to the service, and reads what a clinic's system would: usage, notes and a spreadsheet. */

const { COMPANION_URL = 'http://127.0.0.1:3000', COMPANION_EMAIL = '', COMPANION_PASSWORD = '' } = process.env
const [today = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)

const companion = createClient<paths>({ baseUrl: COMPANION_URL })

interface Answer<Data, Refusal> {
  data?: Data
  error?: Refusal
  response: Response
}

/** The data of an answer, or an error that names status and `detail`. */
async function expectData<Data>(call: Promise<Answer<Data, { detail: unknown }>>): Promise<Data> {
  const { data, error, response } = await call
  if (data === undefined) throw new Error(`${response.status} ${JSON.stringify(error?.detail)}`)
  return data
}

/** Repeats a call that changes nothing when it is repeated: after no answer, or one that asks to come back later. */
async function patiently<Data, Refusal>(
  call: () => Promise<Answer<Data, Refusal>>,
): Promise<Answer<Data, Refusal>> {
  for (let pause = 500; pause <= 4000; pause *= 2) {
    const answer = await call().catch(() => undefined)
    if (answer && answer.response.status !== 429 && answer.response.status < 500) return answer
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return call()
}

const signedIn = await expectData(
  companion.POST('/api/v1/alpha/auth/email/signin', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: { username: COMPANION_EMAIL, password: COMPANION_PASSWORD },
  }),
)

// An access token lives 15 minutes. A refresh token works once; the key lets the call be repeated if its answer is lost.
const key = randomUUID()
const { access_token } = await expectData(
  patiently(() =>
    companion.POST('/api/v1/alpha/auth/refresh-token', {
      headers: { 'Idempotency-Key': key },
      body: { refresh_token: signedIn.refresh_token },
    }),
  ),
)
const headers = { Authorization: `Bearer ${access_token}` }

const [device] = await expectData(companion.GET('/api/v1/beta/device', { headers }))
if (!device) throw new Error('The account has no device')
const { real_user_id, unique_id } = device

// Devices bring no token, and a log may be sent as often as needed.
await expectData(
  patiently(() =>
    companion.POST('/api/v1/gamma/device/devlog', {
      body: [
        {
          unique_id,
          detail_data: {
            treatment_date: `${today}T06:30:00`,
            finish_flag: '1',
            last_intensity: 9,
            treatment_time: 1200,
          },
          intensity_record: [{ intensity: 3 }, { intensity: 9 }],
          log_file_id: 1,
        },
      ],
    }),
  ),
)

const query = { real_user_id, select_mode: 0, current_date: today }
const chart = await expectData(companion.GET('/api/v1/beta/chart/recent', { headers, params: { query } }))

await expectData(
  companion.POST('/api/v1/beta/event', {
    headers,
    body: { real_user_id, created_at: today, memo: 'Slept well', event_data: { hospital: ['Clinic'] } },
  }),
)
const day = await expectData(
  companion.GET('/api/v1/beta/event', { headers, params: { query: { real_user_id, event_date: today } } }),
)

const { data: bytes, response } = await companion.GET('/api/v1/gamma/device/export', {
  params: { query: { unique_id, start_date: today, end_date: today } },
  parseAs: 'arrayBuffer',
})
if (!bytes) throw new Error(`${response.status}`)
const file = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'logs.xlsx'
await writeFile(file, new Uint8Array(bytes))

// Errors are told apart by status and text; both are types here.
const { error } = await companion.GET('/api/v1/beta/user/real-user/{real_user_id}', {
  headers,
  params: { path: { real_user_id: 2_000_000_000 } },
})
const refused = error?.detail === 'Real user is not found' ? error.detail : 'not refused'

await expectData(companion.POST('/api/v1/alpha/auth/signout', { headers }))
console.log(JSON.stringify({ chart, memo: day.memo, treatments: day.treatment_data.length, file, refused }))
