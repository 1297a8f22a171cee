import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { mendEmail } from './mistyped-email.ts'
import type { Phone } from './phone.ts'
import type { SameOrigin } from './same-origin.ts'
import type { Service } from './service.ts'
import { lastNightDate } from './home.ts'
import { unfinishedDeviceUses } from './open-uses.ts'
import { soon } from './soon.ts'
import { correctAccount, correctChild, deleteChild, findAccount } from './parent.ts'
import { signUp } from './sign-up.ts'

const DEVICE = 'de000000-0000-4000-8000-000000000003'
const BASESTATION = 'b0b00000-0000-4000-8000-00000000000b'

/** A parent has just unpacked the device. In English. */
export async function newFamily(phone: Phone, service: Service, front: SameOrigin): Promise<void> {
  const { page, tap, type, sees, misses, comesBack, picture } = phone

  await signUp(phone, service)
  await picture('en-05-welcome')
  await mendEmail(phone, service)
  await tap('Add a child')
  await type("Child's name", 'Hana')
  assert.ok(await page.getByRole('radio', { name: 'Prefer not to say' }).isChecked())
  await type('Serial code', 'DEMO-999')
  await type('Last 4 of the MAC address', 'd0a3')
  await type('Device ID', 'de000000-0000-4000-8000-000000000099')
  await tap('Add and pair')
  await sees('Please choose the date of birth')
  await type('Birth date', '2018-02-03')
  await tap('Add and pair')
  await sees('No device has these codes.')
  await picture('en-06-add-child')
  // The text of the QR code on the label, read by another app and pasted.
  await type('Serial code', `companion://device?serial_code=DEMO-003&mac_id=D0A3&unique_id=${DEVICE}`)
  await soon(async () => assert.equal(await page.getByLabel('Device ID').inputValue(), DEVICE))
  await tap('Add and pair')
  await sees('No nights in the last 30 days')
  await sees('No record has arrived yet.')
  await picture('en-07-no-nights')
  await tap('Calendar', 'tab')
  await tap('Previous month')
  await page
    .getByRole('button', { name: /, \w+ 2$/ })
    .filter({ visible: true })
    .first()
    .click()
  await sees('No record for this day. The device was paired on')
  await picture('en-07-before-pairing')
  await tap('Next month')

  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('Unpair')
  await sees('Unpair this device?')
  await tap('Unpair')
  await sees('No device')
  await tap('Back')
  await tap('Today', 'tab')
  await sees('Nights then appear here automatically.')
  await picture('en-07-no-device')
  await tap('Pair a device')
  await type('Serial code', 'DEMO-003')
  await type('Last 4 of the MAC address', 'D0A3')
  await type('Device ID', DEVICE)
  await tap('Pair')
  await sees('No nights in the last 30 days')

  await unfinishedDeviceUses(phone, service, DEVICE)

  const nights = ['--nights', '60', '--until', lastNightDate()]
  await service.simulate('nights', '--unique-id', DEVICE, ...nights, '--batch', '100')
  await page.reload()
  await sees('Last upload:')
  await picture('en-08-today')
  await loseContact(service)
  await page.reload()
  await sees('Last night')
  // Whether the device went on depends on the date: the simulated child misses one night in ten.
  await sees('The electrodes lost contact at 7:20 PM')
  await picture('en-08-contact-lost')

  await tap('Trends', 'tab')
  await sees('Use per day')
  await sees('Connect a base station in the settings')
  await picture('en-09-trends-7')
  await tap('30 days', 'radio')
  await sees('Movement')
  await picture('en-10-trends-30')
  await lookBack(phone)
  await enterSurvey(phone)

  await tap('Report', 'tab')
  await sees('For a report, connect a base station')
  await picture('en-11-needs-basestation')
  await service.companion('basestation', 'add', '--serial-code', 'BASE-9001', '--unique-id', BASESTATION)
  await tap('Connect a base station')
  await type('Device ID', 'b0b0')
  await tap('Connect a base station')
  await sees('Check the serial code.')
  await sees('As printed, with its hyphens')
  await type('Serial code', 'base-9001')
  await type('Device ID', BASESTATION)
  await tap('Connect a base station')
  await sees('BASE-9001')
  await picture('en-12-basestation')
  await measure(service)
  await tap('Back')

  await tap('Create the report')
  await sees('The report is ready')
  await picture('en-13-report')
  const download = page.waitForEvent('download')
  await tap('Share or save')
  assert.match((await download).suggestedFilename(), /^Hana \d{4}-\d\d-\d\d–(\d{4}-)?\d\d-\d\d\.pdf$/)
  const file = await readFile(await (await download).path())
  assert.equal(file.subarray(0, 5).toString(), '%PDF-')
  await tap('12 months', 'radio')
  const spreadsheet = page.waitForEvent('download')
  await tap('Download the spreadsheet')
  assert.match((await spreadsheet).suggestedFilename(), /^Hana-DEMO-003 .*\.xlsx$/)
  const sheets = await readFile(await (await spreadsheet).path())
  assert.equal(sheets.subarray(0, 2).toString(), 'PK')
  await picture('en-13-spreadsheet')

  await tap('Trends', 'tab')
  await page.reload()
  await tap('Trends', 'tab')
  await sees('Sleep environment')
  await sees('70 °F')
  await page.getByText('70 °F').first().scrollIntoViewIfNeeded()
  await picture('en-14-environment')
  await tap('Humidity', 'radio')
  await sees('44.5 %')

  await tap('Calendar', 'tab')
  await sees('Nothing noted.')
  await tap('Write a note')
  await type('Note', 'Fell asleep quickly, woke up once.')
  await tap('Add medication')
  await type('Name', 'Melatonin')
  await type('Dose', 'three')
  await tap('Save')
  await soon(async () =>
    assert.equal(await page.getByLabel('Dose', { exact: true }).getAttribute('aria-invalid'), 'true'),
  )
  await type('Dose', '0.5 mg')
  await tap('Add a visit')
  await type('Hospital', 'Hanul Clinic')
  await picture('en-15-note')
  await tap('Save')
  await sees('Melatonin 0.5 mg')
  await tap('Very good', 'radio')
  await noted(phone, 'Very good')
  await picture('en-16-calendar')

  front.connected = false
  await tap('So-so', 'radio')
  await sees('Saved on this phone.')
  await tap('Edit the note')
  await type('Note', 'Fell asleep quickly, slept through.')
  await tap('Save')
  await sees('Saved on this phone.')
  await picture('en-17-queued')
  // The month before was seen when the device was paired.
  await tap('Previous month')
  await tap('Previous month')
  await sees('The service cannot be reached.')
  await picture('en-18-offline')
  front.connected = true
  await comesBack()
  await misses('Saved on this phone.')
  await misses('No connection')
  await sees('slept through')
  await page.reload()
  await tap('Calendar', 'tab')
  await sees('slept through')
  await noted(phone, 'So-so')

  await tap('Settings', 'tab')
  await sees('News and offers')
  // A browser gets no push messages, and nobody in it can change that.
  await misses('Push notifications')
  await sees('They arrive on an Android phone')
  // The account has a Korean number.
  await sees('Electrode contact')
  await tap('News and offers', 'switch')
  await page.getByText(/^Since [A-Z][a-z]+ \d+, 20\d\d$/).waitFor()
  for (const name of ['Room climate', 'Name the child in alerts']) {
    const stored = page.waitForResponse(/account\.updateNotifications/)
    await tap(name, 'switch')
    await stored
  }
  await page.reload()
  await tap('Settings', 'tab')
  for (const [name, isOn] of Object.entries({
    'News and offers': true,
    'Room climate': true,
    'Name the child in alerts': true,
    'Device alerts': true,
  }))
    await soon(async () => assert.equal(await page.getByRole('switch', { name }).isChecked(), isOn, name))
  await picture('en-19-settings')
  await correctChild(phone, async () => {
    await type('Serial code', 'DEMO-003')
    await type('Last 4 of the MAC address', 'D0A3')
    await type('Device ID', DEVICE)
  })
  await correctAccount(phone, service)

  await tap('Sign out')
  await sees('You are signed out.')
  await page.reload()
  await type('E-mail', 'Parent@Example.com')
  await type('Password', 'correct horse battery')
  await tap('Sign in')
  await sees('Last night')

  await tap('Settings', 'tab')
  await sees('News and offers')
  front.connected = false
  await tap('Sign out')
  await tap('Sign out on this phone only')
  await sees('You are signed out.')
  front.connected = true
  await findAccount(phone, service)

  await tap('Settings', 'tab')
  await deleteChild(phone)
  await tap('Delete the account')
  await sees('Your account is deleted at once')
  await picture('en-21-delete')
  await type('Current password', 'correct horse battery')
  await tap('Delete the account')
  await sees('The account has been deleted.')
}

/** Waits until the day has this mood. */
const noted = ({ page }: Phone, mood: string) =>
  page.getByRole('radio', { name: mood, exact: true, checked: true }).filter({ visible: true }).waitFor()

/** Turns the charts back by a quarter, and opens the last night from the week. */
async function lookBack({ page, tap, sees, picture }: Phone): Promise<void> {
  await tap('90 days', 'radio')
  await sees('Movement')
  await tap('Earlier')
  await sees('No record in this period.')
  await tap('Later')
  await sees('Average')
  await picture('en-10-trends-90')
  await tap('7 days', 'radio')
  const usage = page.getByRole('slider', { name: /^Use per day/ }).filter({ visible: true })
  await usage.waitFor()
  const box = await usage.boundingBox()
  assert(box)
  await usage.click({ position: { x: (box.width * 5.5) / 7, y: 20 } })
  await page
    .getByRole('button', { name: /^Open / })
    .filter({ visible: true })
    .click()
  await sees('Night of')
  await sees('The electrodes lost contact at 7:20 PM')
  await sees('Nothing noted.')
  await picture('en-10-day')
  await tap('Back')
}

async function enterSurvey({ tap, type, sees, picture }: Phone): Promise<void> {
  await sees('No survey yet.')
  await tap('Enter a survey')
  await type('Attention', '12')
  await type('Impulsivity', '8')
  await tap('Save')
  await sees('A whole number')
  await picture('en-10-survey')
  await type('Symptoms', '15')
  await tap('Save')
  await sees('Attention 12')
  await picture('en-10-surveys')
}

/** Uploads a use of 20 minutes that the device ended because the electrodes lost contact. */
async function loseContact({ url }: Service): Promise<void> {
  const intensities = [8, 12, 15, 15]
  const item = {
    unique_id: DEVICE,
    log_file_id: 90_001,
    detail_data: {
      treatment_date: `${lastNightDate()}T19:00:00`,
      treatment_time: 1_200,
      last_intensity: 15,
      finish_flag: '4',
    },
    intensity_record: intensities.map((intensity) => ({ intensity })),
  }
  await post(`${url}/api/v1/gamma/device/devlog`, [item])
}

/** Uploads what the base station measured last night. */
async function measure({ url }: Service): Promise<void> {
  const yesterday = lastNightDate()
  const readings = [21, 22, 23].map((hour) => ({
    unique_id: BASESTATION,
    measured_at: `${yesterday}T${hour}:00:00`,
    temperature: 20 + hour / 20,
    humidity: 44.5,
    brightness: 3,
    noise: 31,
  }))
  await post(`${url}/api/v1/gamma/basestation/environment`, readings)
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, await response.text())
}
