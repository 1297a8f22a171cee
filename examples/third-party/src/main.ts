import { parseArgs } from 'node:util'
import { createCompanion, safe } from '@companion/sdk'
import type { Changes } from '@companion/sdk'
import { connect } from './connect.ts'

/*
 * Reads uses and notes of a child with the parent's consent, as a clinic's system would. With --upload, it also writes: a log
 * of a device of its own, and a note. Usage: main.ts [--upload UNIQUE_ID] [DATE]
 */

const { COMPANION_URL: baseUrl = 'http://127.0.0.1:3000', COMPANION_CLIENT_ID: clientId = 'demo-client' } =
  process.env
const given = parseArgs({ options: { upload: { type: 'string' } }, allowPositionals: true })
// The Swedish format of a date is yyyy-mm-dd.
const [today = new Date().toLocaleDateString('sv')] = given.positionals
const { upload: unique_id } = given.values

const scope = `child:read usage:read notes:read offline_access${unique_id === undefined ? '' : ' notes:write'}`
const { accessToken, disconnect } = await connect(baseUrl, clientId, scope)
const companion = createCompanion({ baseUrl, accessToken })

// The children that the parent has chosen, and no others.
const [child] = await companion.children.list()
if (!child) throw new Error('No child was granted')
const real_user_id = child.id

if (unique_id !== undefined) {
  // A log may be sent any number of times. The notes of a day replace those saved before.
  await companion.devlogs.upload([
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
  ])
  await companion.calendar.saveEvent({
    real_user_id,
    created_at: today,
    memo: 'Slept well',
    event_data: { hospital: ['Clinic'] },
  })
}

const chart = await companion.charts.recent({ real_user_id, select_mode: 0, current_date: today })
const { memo } = await companion.calendar.readDay({ real_user_id, event_date: today })
const intensities: number[][] = []
for await (const use of companion.treatments.all({ real_user_id, start_date: today, end_date: today }))
  intensities.push(use.intensity_record.map(({ intensity }) => intensity))

// Status and text distinguish errors. Both are typed here. Surveys were not asked for.
const [, error] = await safe(companion.surveys.latest({ real_user_id }))
const refused = error?.data?.detail === 'Insufficient scope' ? error.data.detail : 'not refused'

// What has changed since the parent has let this program in. A program that goes on follows them, as back-end.ts does.
const changes: string[] = []
let page: Changes | undefined
do {
  page = await companion.changes.list({ after: page?.next })
  changes.push(...page.items.map(({ kind }) => kind))
} while (page.has_more)

// A service that goes on reading keeps its refresh token instead.
await disconnect()
console.log(JSON.stringify({ child: child.first_name, chart, memo, intensities, refused, changes }))
