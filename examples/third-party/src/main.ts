import { parseArgs } from 'node:util'
import { connect } from './connect.ts'
import { changesSince } from './follow.ts'
import { expectData, openService, repeatable } from './requests.ts'

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

const scope = `child:read usage:read notes:read offline_access${upload === undefined ? '' : ' notes:write'}`
const connection = await connect(baseUrl, clientId, scope)
const service = openService(baseUrl)
const account = openService(baseUrl, connection)

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

// What has changed since the parent has let this program in. A program that goes on asks again behind the last cursor.
const changes: string[] = []
for await (const page of changesSince(account)) changes.push(...(page?.items ?? []).map(({ kind }) => kind))

// A service that goes on reading keeps its tokens instead.
await connection.disconnect()
const intensities = items.map(({ intensity_record }) => intensity_record.map(({ intensity }) => intensity))
console.log(JSON.stringify({ child: child.first_name, chart, memo: day.memo, intensities, refused, changes }))
