import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import createClient from 'openapi-fetch'
import type { paths } from './companion-api.ts'
import { connect } from './connect.ts'

/*
 * Reads use and notes of a child with the parent's consent, as a clinic's system would. With --upload, it also writes: a log
 * of a device of its own, and a note. Usage: main.ts [--upload UNIQUE_ID] [DATE]
 */

const { COMPANION_URL: baseUrl = 'http://127.0.0.1:3000', COMPANION_CLIENT_ID: clientId = 'demo-client' } =
  process.env
const given = parseArgs({ options: { upload: { type: 'string' } }, allowPositionals: true })
// The Swedish format of a date is yyyy-mm-dd.
const [today = new Date().toLocaleDateString('sv')] = given.positionals
const { upload } = given.values

/**
 * Sends a request up to five times, with 30 seconds for each try. Repeats any request after 429, because the service has
 * done nothing. After 5xx or without a complete answer, repeats only requests that do no harm when executed twice.
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
  await answer.clone().arrayBuffer() // Throws if the body is cut short.
  return answer
}

// A middleware would not do: it sees neither a body that is cut short nor its own requests.
const options = { baseUrl, fetch: (request: Request) => deliver(request, request.method === 'GET') }
const repeatable = { fetch: (request: Request) => deliver(request, true) }
const service = createClient<paths>(options)
const account = createClient<paths>(options)

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** Returns the data of an answer. Throws an error that names status and `detail` if there are none. */
async function expectData<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (data !== undefined) return data
  throw new Error(`${new URL(response.url).pathname}: ${response.status} ${JSON.stringify(error)}`)
}

const scope = `child:read usage:read notes:read offline_access${upload === undefined ? '' : ' notes:write'}`
const connection = await connect(baseUrl, clientId, scope)
let renewal: Promise<void> | undefined

// An access token is valid for 15 minutes. Requests that find it expired at the same time renew it once.
account.use({
  onRequest({ request }) {
    request.headers.set('Authorization', `Bearer ${connection.token()}`)
  },
  async onResponse({ request, response, options: { fetch } }) {
    const isExpired =
      response.status === 401 && (await response.clone().text()).includes('"Token is expired"')
    if (!isExpired) return undefined
    if (request.headers.get('Authorization') === `Bearer ${connection.token()}`) {
      await (renewal ??= connection.renew().finally(() => (renewal = undefined)))
    }
    request.headers.set('Authorization', `Bearer ${connection.token()}`)
    return fetch(request)
  },
})

// The children that the parent has chosen, and no others.
const [child] = await expectData(account.GET('/api/v1/beta/user/real-user'))
if (!child) throw new Error('No child was granted')
const real_user_id = child.id

if (upload !== undefined) {
  // Devices send no token. A log may be sent any number of times.
  await expectData(
    service.POST('/api/v1/gamma/device/devlog', {
      ...repeatable,
      body: [
        {
          unique_id: upload,
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

  // The notes of a day replace those saved before.
  await expectData(
    account.POST('/api/v1/beta/event', {
      ...repeatable,
      body: { real_user_id, created_at: today, memo: 'Slept well', event_data: { hospital: ['Clinic'] } },
    }),
  )
}

const query = { real_user_id, select_mode: 0, current_date: today }
const chart = await expectData(account.GET('/api/v1/beta/chart/recent', { params: { query } }))
const day = await expectData(
  account.GET('/api/v1/beta/event', { params: { query: { real_user_id, event_date: today } } }),
)

const start_date = today
const end_date = today
const { items } = await expectData(
  account.GET('/api/v1/beta/treatment', { params: { query: { real_user_id, start_date, end_date } } }),
)

// Status and text distinguish errors. Both are typed here. Surveys were not asked for.
const { error } = await account.GET('/api/v1/beta/chart/survey/analysis', {
  params: { query: { real_user_id } },
})
const refused = error?.detail === 'Insufficient scope' ? error.detail : 'not refused'

// A service that goes on reading keeps its tokens instead.
await connection.disconnect()
const intensities = items.map(({ intensity_record }) => intensity_record.map(({ intensity }) => intensity))
console.log(JSON.stringify({ child: child.first_name, chart, memo: day.memo, intensities, refused }))
