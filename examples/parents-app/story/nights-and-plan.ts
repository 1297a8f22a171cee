import assert from 'node:assert/strict'
import { aroundMidnight, timeOfDayOf, dateAtHome, nightBeforeLast } from './home.ts'
import type { Phone } from './phone.ts'
import type { SameOrigin } from './same-origin.ts'
import type { Service } from './service.ts'
import { signIn, visible } from './sharing.ts'

/** The device of the demo family's second child. */
const DEVICE = 'de000000-0000-4000-8000-000000000002'
const HOUR = 3_600_000

/** A parent plans nights, pauses for a holiday, and learns why a night is missing and to which night a note belongs. */
export async function nightsAndPlan(phone: Phone, service: Service, front: SameOrigin): Promise<void> {
  const { page, tap, sees, misses, comesBack } = phone
  await signIn(phone)
  await sees('This week')
  await plan(phone, front)
  await keepReport(phone, front)

  // The second child's device has sent older nights today, and nothing of last night.
  await fetch(`${service.url}/api/v1/gamma/device/devlog?unique_id=${DEVICE}`, { method: 'DELETE' })
  await uploadNightBefore(service)
  await page.reload()
  await tap('Show Joon', 'radio')
  await sees('No record yet')
  await sees('The last night with a record')
  if (timeOfDayOf(new Date()) >= '04:00:00') await sees('The device has sent other records today')
  await phone.picture('nights-04-other-logs-arrived')

  const [, tomorrow] = aroundMidnight()
  const morning = (days: number) => new Date(tomorrow.getTime() + 7 * HOUR + (days - 1) * 24 * HOUR)
  await page.clock.install({ time: morning(1) })
  await page.reload()
  await tap('Show Joon', 'radio')
  await sees('Nothing has arrived from the device since')
  await misses('Please look at the device today.')
  await phone.picture('nights-05-nothing-arrived')
  await noteOfMorning(phone, dateAtHome(morning(1)))

  await page.clock.setSystemTime(morning(3))
  await comesBack()
  await page.reload()
  await tap('Show Joon', 'radio')
  await sees('Please look at the device today.')
  await sees('If nothing has arrived by tomorrow, call your clinic.')
  await phone.picture('nights-07-silent')
  await tap('More about nights that have not arrived')
  await sees('What you can try')
  await phone.picture('nights-08-help')
  await tap('Back')
  assert.equal(await visible(phone, 'not worn'), 0)
}

/** Sets a plan, replaces it, pauses it and removes it. Starts and ends on Today. */
async function plan({ page, tap, type, sees, misses, picture }: Phone, front: SameOrigin): Promise<void> {
  const open = () =>
    page
      .getByRole('button', { name: /^Plan, / })
      .filter({ visible: true })
      .click()
  await open()
  await sees('No plan is set.')
  await type('Hours of use in a night', '25')
  await type('Bedtime (optional)', '9')
  await tap('Save the plan')
  await sees('Please type hours')
  await sees('Please type a time')
  await picture('nights-01-plan-issues')
  await type('Hours of use in a night', '6:30')
  await type('Bedtime (optional)', '21:00')
  await tap('4', 'radio')
  await tap('Save the plan')
  await sees('Saved.')
  await sees('4 nights a week, 6 h 30 min each, bedtime 9:00 PM')
  await tap('Back')
  await sees('of 4 nights')
  await sees('A night counts from 6 h 30 min of use.')
  await picture('nights-02-week')

  await open()
  await tap('5', 'radio')
  await tap('Save the plan')
  await sees('5 nights a week, 6 h 30 min each')
  await misses('4 nights a week')
  await tap('Pause the plan')
  await sees('Coming')
  await sees('End the pause')
  await picture('nights-03-paused')
  await tap('Back')
  // The week is judged by the plan of its last evening.
  await sees('Pause')
  await open()
  await tap('End the pause')
  await misses('Coming')

  // The plan began today, so the pause had taken its place.
  await sees('5 nights a week, 6 h 30 min each')
  front.connected = false
  await tap('Save the plan')
  await sees('The service cannot be reached.')
  await page.reload()
  await sees('of 5 nights')
  await sees('DEMO-001')
  front.connected = true
  await page.reload()
  await open()
  await tap('Remove the plan')
  await sees('Remove this plan?')
  await tap('Remove the plan')
  await sees('No plan is set.')
  await tap('Back')
}

/** Makes a report, which the phone keeps, and shares it without a connection. Ends on Today. */
async function keepReport({ page, tap, sees, picture }: Phone, front: SameOrigin): Promise<void> {
  await tap('Report', 'tab')
  await tap('Create the report')
  await sees('The report is ready')
  await sees('On this phone')
  front.connected = false
  await page.reload()
  await tap('Report', 'tab')
  await sees('It opens without a connection.')
  await picture('nights-03-report-offline')
  const download = page.waitForEvent('download')
  await tap('Share or save this report')
  assert.match((await download).suggestedFilename(), /^Mina .*\.pdf$/)
  front.connected = true
  await page.reload()
}

/** Writes a note in the morning, which then stands beside the night before. Starts and ends on Today. */
async function noteOfMorning({ page, tap, sees, misses, picture }: Phone, date: string): Promise<void> {
  await tap('Show Mina', 'radio')
  await tap('Good', 'radio')
  await sees('About the night of')
  await tap('Calendar', 'tab')
  await sees('About the night of')
  const evening = Number(date.slice(8)) === 1 ? undefined : lastNightOf(date)
  if (evening === undefined) await tap('Previous month')
  const day = new Intl.DateTimeFormat('en', { month: 'long', day: 'numeric', timeZone: 'UTC' })
  const name = day.format(new Date(`${lastNightOf(date)}T12:00:00Z`))
  await page
    .getByRole('button', { name: new RegExp(`, ${name}(,|$)`) })
    .filter({ visible: true })
    .click()
  await sees('The morning after')
  await picture('nights-06-calendar')
  await tap('Today', 'tab')
  // Other stories begin with an empty morning.
  await tap('Good', 'radio')
  await misses('About the night of')
}

/** Uploads the night before the last: five hours, after which the electrodes lost contact. */
async function uploadNightBefore({ url }: Service): Promise<void> {
  const item = {
    unique_id: DEVICE,
    log_file_id: 90_001,
    detail_data: {
      treatment_date: `${nightBeforeLast()}T21:00:00`,
      treatment_time: 18_000,
      last_intensity: 15,
      finish_flag: '4',
    },
    intensity_record: Array.from({ length: 50 }, (_, index) => ({ intensity: Math.min(15, index) })),
  }
  const response = await fetch(`${url}/api/v1/gamma/device/devlog`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([item]),
  })
  assert.equal(response.status, 200, await response.text())
}

const lastNightOf = (date: string) =>
  new Date(Date.parse(`${date}T12:00:00Z`) - 24 * HOUR).toISOString().slice(0, 10)
