import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { paths } from './companion-api.ts'

/* Brings a device's log to the service, and reads what a clinic's system would: usage, notes and a spreadsheet. */

const {
  COMPANION_URL: baseUrl = 'http://127.0.0.1:3000',
  COMPANION_EMAIL = '',
  COMPANION_PASSWORD = '',
} = process.env
// Swedish dates are yyyy-mm-dd.
const [today = new Date().toLocaleDateString('sv')] = process.argv.slice(2)

/**
 * Delivers a request, with 30 seconds for each try. After 429 nothing was done, and it is sent again; after 5xx or no
 * whole answer only what does no harm when done twice, such as reading.
 */
async function deliver(request: Request, repeatable: boolean): Promise<Response> {
  for (let pause = 0.5; ; pause *= 2) {
    const isLast = pause > 4
    const answer = await once(request.clone()).catch((error: unknown) => {
      if (isLast || !repeatable) throw error
      return undefined
    })
    if (answer && (isLast || !(answer.status === 429 || (repeatable && answer.status >= 500)))) return answer
    const wait = Number(answer?.headers.get('retry-after')) || pause
    console.error(`${new URL(request.url).pathname}: ${answer?.status ?? 'no answer'}, again in ${wait} s`)
    await setTimeout(wait * 1000)
  }
}

async function once(request: Request): Promise<Response> {
  const answer = await fetch(request, { signal: AbortSignal.timeout(30_000) })
  await answer.clone().arrayBuffer() // Fails if the body is cut short.
  return answer
}

// Not by middleware, which sees neither a body that is cut short nor the requests that it makes itself.
const options = { baseUrl, fetch: (request: Request) => deliver(request, request.method === 'GET') }
const repeatable = { fetch: (request: Request) => deliver(request, true) }
const service = createClient<paths>(options)
const account = createClient<paths>(options)

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The data of an answer, or an error that names status and `detail`. */
async function expectData<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (data !== undefined) return data
  throw new Error(`${new URL(response.url).pathname}: ${response.status} ${JSON.stringify(error)}`)
}

// A sign-in takes the place of the one before.
let session: { access_token: string; refresh_token: string } = await expectData(
  service.POST('/api/v1/alpha/auth/email/signin', {
    ...repeatable,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: { username: COMPANION_EMAIL, password: COMPANION_PASSWORD },
  }),
)
let renewal: Promise<void> | undefined

/** A refresh token works once; the key lets the call be repeated if its answer is lost. */
async function renew(): Promise<void> {
  session = await expectData(
    service.POST('/api/v1/alpha/auth/refresh-token', {
      ...repeatable,
      headers: { 'Idempotency-Key': randomUUID() },
      body: { refresh_token: session.refresh_token },
    }),
  )
}

// An access token lives 15 minutes. Calls that find it expired at the same time renew it once.
account.use({
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${session.access_token}`)
  },
  async onResponse({ request, response, options: { fetch } }) {
    const isExpired =
      response.status === 401 && (await response.clone().text()).includes('"Token is expired"')
    if (!isExpired) return undefined
    if (request.headers.get('Authorization') === `Bearer ${session.access_token}`) {
      await (renewal ??= renew().finally(() => (renewal = undefined)))
    }
    request.headers.set('Authorization', `Bearer ${session.access_token}`)
    return fetch(request)
  },
})

const [device] = await expectData(account.GET('/api/v1/beta/device'))
if (!device) throw new Error('The account has no device')
const { real_user_id, unique_id } = device

// Devices bring no token, and a log may be sent as often as needed.
await expectData(
  service.POST('/api/v1/gamma/device/devlog', {
    ...repeatable,
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
)

const query = { real_user_id, select_mode: 0, current_date: today }
const chart = await expectData(account.GET('/api/v1/beta/chart/recent', { params: { query } }))

// A day's notes take the place of those before.
await expectData(
  account.POST('/api/v1/beta/event', {
    ...repeatable,
    body: { real_user_id, created_at: today, memo: 'Slept well', event_data: { hospital: ['Clinic'] } },
  }),
)
const day = await expectData(
  account.GET('/api/v1/beta/event', { params: { query: { real_user_id, event_date: today } } }),
)

const download = service.GET('/api/v1/gamma/device/export', {
  params: { query: { unique_id, start_date: today, end_date: today } },
  parseAs: 'arrayBuffer',
})
const bytes = await expectData(download)
const disposition = (await download).response.headers.get('content-disposition') ?? ''
const file = /filename="?([^";]+)/.exec(disposition)?.[1] ?? 'logs.xlsx'
await writeFile(file, new Uint8Array(bytes))

// Errors are told apart by status and text; both are types here.
const { error } = await account.GET('/api/v1/beta/user/real-user/{real_user_id}', {
  params: { path: { real_user_id: 2_000_000_000 } },
})
const refused = error?.detail === 'Real user is not found' ? error.detail : 'not refused'

// A 401 says that a try before, whose answer was lost, has signed out.
const signOut = account.POST('/api/v1/alpha/auth/signout', repeatable)
if ((await signOut).response.status !== 401) await expectData(signOut)
console.log(JSON.stringify({ chart, memo: day.memo, treatments: day.treatment_data.length, file, refused }))
