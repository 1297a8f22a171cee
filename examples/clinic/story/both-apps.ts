/*
 * Tells the way of one family and one clinic through both apps, in one browser against one service: invitation, passkey, the code
 * on the clinic's sheet typed into the parents' app, list, child, report and plan; the parent sees who has looked and ends the
 * connection, and the open screen of the clinic says so.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openBrowser, openPhone } from '../../parents-app/story/phone.ts'
import type { Phone } from '../../parents-app/story/phone.ts'
import { serveSameOrigin } from '../../parents-app/story/same-origin.ts'
import { startService } from '../../parents-app/story/service.ts'
import { showPeople, signIn } from '../../parents-app/story/sharing.ts'
import { soon } from '../../parents-app/story/soon.ts'
import { en as family } from '../../parents-app/src/i18n/en.ts'
import { en as t } from '../src/i18n/en.ts'
import { openDesk } from './browser.ts'
import type { Desk } from './browser.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const pictures = folder('../dist/story/both-apps')
const apps = { clinic: folder('../dist/app'), parents: folder('../../parents-app/dist/app') }
for (const app of Object.values(apps))
  if (!existsSync(`${app}/index.html`)) throw new Error(`Build the app first: ${app}`)

const CLINIC = 'Hangang Sleep Clinic'
const DOCTOR = 'Dr. Jiwoo Han'
const EMAIL = 'jiwoo.han@clinic.example.org'
const CHILD = 'Mina'

/** How long the open screen may take to say that access has ended, on a busy machine: it asks four times a second. */
const BOUND_MS = 5_000

const complaints: string[] = []
const service = await startService({ CLINIC_APP: apps.clinic })
const origin = service.url.replace('127.0.0.1', 'localhost')
const front = await serveSameOrigin(apps.parents, service.url)
const browser = await openBrowser()

async function tell(desk: Desk, phone: Phone): Promise<void> {
  const { page, sees, tap, shows } = desk
  const { code, clinic_id } = JSON.parse(await service.companion('clinic', 'add', '--name', CLINIC, '--json'))
  await service.companion('clinic', 'invite', String(clinic_id), EMAIL, '--role', 'admin')

  const { pathname, search } = new URL(await service.mailedLink(EMAIL))
  await page.goto(`${origin}${pathname}${search}`)
  await page.getByLabel(t.invitation.name).fill(DOCTOR)
  await tap(t.invitation.submit)
  await sees(t.list.empty)
  await shows('01-nobody-yet')
  await tap(t.nav.code, 'link')
  await page.getByLabel(t.code.field).fill(code)
  await tap(t.code.show)
  const printed = await page.locator('.code').innerText()
  await shows('02-sheet')

  await signIn(phone)
  await phone.tap(family.tabs.settings, 'tab')
  await phone.tap(family.clinics.connect)
  await phone.type(family.clinics.code, printed)
  await phone.tap(family.clinics.find)
  await phone.sees(family.clinics.sees(CHILD))
  await phone.picture('03-parent-looks-at-the-clinic')
  // The first answer is lost on the way.
  front.left = 0
  await phone.tap(family.clinics.connectTo(CLINIC))
  await phone.page.getByRole('alert').filter({ visible: true }).waitFor()
  front.left = Infinity
  await phone.tap(family.clinics.connectTo(CLINIC))
  await phone.sees(family.clinics.already)
  await phone.sees(family.clinics.end)
  await phone.picture('04-parent-has-connected')

  await tap(t.nav.children, 'link')
  await page.reload()
  await sees(t.list.page(1, 1, 1))
  await shows('05-list')
  await page.keyboard.press('j')
  await page.locator('a[data-child]:focus').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: CHILD }).waitFor()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  const made = page.waitForResponse(/\/pdf\/export/)
  const opened = desk.context.waitForEvent('page')
  await tap(t.child.report)
  assert.equal((await (await made).body()).subarray(0, 5).toString(), '%PDF-')
  const report = await opened
  const href = await page.getByRole('link', { name: t.child.reportSave }).getAttribute('href')
  await report.waitForURL(href ?? '', { waitUntil: 'commit' })
  await report.close()
  await page.getByLabel(t.plans.nights).fill('5')
  await page.getByLabel(t.plans.minutes).fill('300')
  await tap(t.plans.submit)
  await page.getByText(t.plans.setBy.clinic, { exact: true }).first().waitFor()
  await shows('06-child')

  await phone.page.reload()
  await phone.page.getByRole('button', { name: /^Plan, / }).click()
  await phone.sees(family.plans.goal(5, '5 h'))
  await phone.sees(family.plans.setBy.clinic)
  await phone.picture('07-parent-sees-the-plan')
  // The list is by the hour, which may have ended between two looks: the newest stands first.
  const looked = (kind: keyof typeof family.sharing.kinds) =>
    phone.page.getByText(`${CLINIC}, ${DOCTOR} · ${family.sharing.kinds[kind]}`).first()
  // It is written with others, a moment later.
  await soon(async () => {
    await phone.page.reload()
    await showPeople(phone)
    for (const kind of ['planned', 'reports', 'nights', 'listed'] as const)
      await looked(kind).waitFor({ timeout: 2_000 })
  })
  // An open page asks for them over and over, which is no look.
  assert.doesNotMatch(await looked('details').locator('..').innerText(), /times|once/)
  await looked('planned').scrollIntoViewIfNeeded()
  await phone.picture('08-parent-sees-who-looked')

  await phone.tap(family.clinics.end)
  await phone.sees(family.clinics.endQuestion(CLINIC))
  const ended = phone.page.waitForResponse(/clinics\.disconnect$/)
  await phone.tap(family.clinics.end)
  const told = page.getByText(t.access.child).waitFor({ timeout: BOUND_MS })
  assert.equal((await ended).status(), 200)
  const endedAt = performance.now()
  let reads = 0
  page.on('request', (request) => (reads += Number(request.url().includes('children.read'))))
  await told
  const took = Math.round(performance.now() - endedAt)
  console.log(`The open screen said so after ${took} ms, of at most ${BOUND_MS}`)
  // Nobody has touched it: the next time it asked, it was told.
  assert(reads <= 1, `It asked ${reads} times`)
  await shows('09-access-ended')
  await phone.sees(family.clinics.none)
  await phone.picture('10-parent-has-ended')
  await tap(t.child.back, 'link')
  await sees(t.list.empty)
}

try {
  const surroundings = [
    { name: 'light-1280', colorScheme: 'light', width: 1280 },
    { name: 'dark-390', colorScheme: 'dark', width: 390 },
  ] as const
  const desk = await openDesk(browser, {
    service: origin,
    locale: 'en-US',
    surroundings,
    pictures,
    complaints,
  })
  const phone = await openPhone(browser, {
    url: front.url,
    pictures,
    complaints,
    locale: 'en-US',
    colorScheme: 'light',
  })
  try {
    await tell(desk, phone)
  } catch (error) {
    await desk.page.screenshot({ path: `${pictures}/broken-off-clinic.png`, fullPage: true })
    await phone.page.screenshot({ path: `${pictures}/broken-off-parent.png` })
    throw error
  }
} finally {
  await browser.close()
  front.stop()
  await service.stop()
}
if (complaints.length > 0) throw new Error(`The apps complained:\n${[...new Set(complaints)].join('\n')}`)
console.log(`The story was told; its pictures are in ${pictures}`)
