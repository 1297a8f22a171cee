/*
 * Tells the day of a clinic in Chromium, in both languages, against a real service that serves the build: invitation, passkey, list,
 * child, report, members, passkeys, the code's sheet, and an admin and a family that end connections. Takes pictures of all screens, for people to look at.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createCompanion } from '@companion/sdk'
import type { Page } from 'playwright-core'
import { HOME_TIME_ZONE } from '../../parents-app/story/home.ts'
import { openBrowser } from '../../parents-app/story/phone.ts'
import { startService } from '../../parents-app/story/service.ts'
import { en } from '../src/i18n/en.ts'
import type { Texts } from '../src/i18n/en.ts'
import { ko } from '../src/i18n/ko.ts'
import { openDesk } from './browser.ts'
import type { Desk } from './browser.ts'
import { listSteps } from './list.ts'
import { addChildrenToParent } from './many-children.ts'

const app = fileURLToPath(new URL('../dist/app', import.meta.url))
const pictures = fileURLToPath(new URL('../dist/story', import.meta.url))
if (!existsSync(`${app}/index.html`)) throw new Error('Build the application first: vite build')

const complaints: string[] = []
const service = await startService({ CLINIC_APP: app, RATE_LIMITS: 'off' })
// Browsers take no address of a machine for the place of a passkey.
const origin = service.url.replace('127.0.0.1', 'localhost')
const browser = await openBrowser()

const walks = [
  {
    locale: 'en-US',
    t: en,
    surroundings: [
      { name: 'en-light-1280', colorScheme: 'light', width: 1280 },
      { name: 'en-light-390', colorScheme: 'light', width: 390 },
      { name: 'en-dark-1280', colorScheme: 'dark', width: 1280 },
      { name: 'en-light-320', colorScheme: 'light', width: 320 },
    ],
  },
  {
    locale: 'ko-KR',
    t: ko,
    surroundings: [
      { name: 'ko-dark-1280', colorScheme: 'dark', width: 1280 },
      { name: 'ko-dark-390', colorScheme: 'dark', width: 390 },
      { name: 'ko-light-1280', colorScheme: 'light', width: 1280 },
      { name: 'ko-dark-320', colorScheme: 'dark', width: 320 },
    ],
  },
] as const

const parent = createCompanion({ baseUrl: service.url })
await parent.auth.signIn({ username: 'demo@example.com', password: 'demo-family-2026' })
const others = await addChildrenToParent(service, parent, 55)

async function tell({ locale, t, surroundings }: (typeof walks)[number]): Promise<void> {
  const clinic: { clinic_id: number; name: string; code: string } = JSON.parse(
    await service.companion('clinic', 'add', '--name', 'Seoul Sleep Clinic', '--json'),
  )
  const id = String(clinic.clinic_id)
  const email = `admin-${locale}@clinic.example.org`
  await service.companion('clinic', 'invite', id, email, '--role', 'admin')

  const [mina] = await parent.children.list()
  assert(mina)
  for (const real_user_id of others) await parent.clinics.connect({ code: clinic.code, real_user_id })
  const { connection_id } = await parent.clinics.connect({ code: clinic.code, real_user_id: mina.id })
  const today = new Date().toLocaleDateString('en-CA', { timeZone: 'America/New_York' })
  const twoWeeksAgo = new Date(Date.now() - 14 * 86_400_000).toISOString().slice(0, 10)
  await parent.calendar.saveEvent({
    real_user_id: mina.id,
    created_at: today,
    memo: 'Fell asleep late.\nWoke up rested.',
    event_data: { medication: [{ medication_name: 'Melatonin', medication_dose: 1 }], hospital: [] },
  })

  const name = 'Dr. Jiwoo Han'
  const desk = await openDesk(browser, { service: origin, locale, surroundings, pictures, complaints })
  const { page, sees, tap, shows, prints, context } = desk
  // The title is set a moment after the page is there.
  const isTitled = (title?: string) =>
    page.waitForFunction(
      (expected) => document.title === expected,
      title === undefined ? t.product : `${title} – ${t.product}`,
    )
  try {
    await page.goto(`${origin}/clinic`)
    await sees(t.signIn.text)
    await isTitled(t.signIn.title)
    await shows('01-sign-in')
    await page.goto(`${origin}/clinic/invitation`)
    await sees(t.invitation.missing)
    await page.goto(`${origin}/clinic/invitation?token=unknown`)
    await sees(t.failures['Invitation is invalid'] ?? '')
    await isTitled()
    await shows('02-invitation-invalid')
    // The command does not know the port of the running service, which is any free one.
    const { pathname, search } = new URL(await service.mailedLink(email))
    await page.goto(`${origin}${pathname}${search}`)
    await sees(t.invitation.join(clinic.name))
    await isTitled(t.invitation.title)
    assert(!page.url().includes('token'), 'The token is in the address')
    await shows('03-invitation')
    await page.getByLabel(t.invitation.name).fill(name)
    await tap(t.invitation.submit)

    await sees(t.list.page(1, 50, 56))
    await shows('10-list')
    await prints(`10-list-${locale}`)
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: t.shortcuts.title }).waitFor()
    await shows('11-shortcuts')
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await sees(t.list.page(51, 56, 56))
    await page.keyboard.press('p')
    await sees(t.list.page(1, 50, 56))
    await page.getByRole('button', { name: new RegExp(`^${t.flags.clock}`) }).click()
    await page.getByRole('button', { name: new RegExp(`^${t.flags.clock}`), pressed: true }).waitFor()
    await page.locator('[aria-busy=false] tbody').waitFor()
    await shows('12-list-filtered')
    await tap(t.list.all)
    await sees(t.list.page(1, 50, 56))
    for (const step of listSteps) await step(desk, t)
    await page.keyboard.press('/')
    await page.keyboard.type('nobody')
    await page.keyboard.press('Enter')
    await sees(t.list.nothingFound)
    await shows('13-list-empty')
    await tap(t.list.clear)
    await page.getByRole('table').waitFor()
    assert.equal(await page.getByRole('searchbox').inputValue(), '')
    await page.getByRole('searchbox').fill(mina.first_name)
    await page.keyboard.press('Enter')
    await sees(t.list.page(1, 1, 1))
    await page.locator('a[data-child]:focus').waitFor()
    let changes = 0
    page.on('request', (request) => {
      changes += request.url().split('clinics.updatePlace').length - 1
    })
    await page.keyboard.down('s')
    await page.keyboard.down('s')
    await page.keyboard.up('s')
    await sees(new RegExp(name))
    assert.equal(changes, 1)
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: mina.first_name }).waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await page.getByLabel(t.child.record).fill('R-1234')
    await tap(t.save)
    await sees(t.saved)
    await page.locator('button[aria-current=date]').click()
    await sees('Melatonin 1')
    await page.getByLabel(t.plans.nights).fill('5')
    await page.getByLabel(t.plans.minutes).fill('300')
    await page.getByLabel(t.plans.from).fill(twoWeeksAgo)
    await tap(t.plans.submit)
    await page.getByText(t.plans.setBy.clinic, { exact: true }).waitFor()
    await page.locator('.key.goal').waitFor()
    await page.locator('.key.plain', { hasText: t.nights.noPlan }).waitFor()
    await page.getByText(t.nights.earlier).click()
    assert.equal(await nightsOn(page).count(), 30)
    await shows('20-child')
    await prints(`20-child-${locale}`)
    const made = page.waitForResponse(/\/pdf\/export/)
    const opened = context.waitForEvent('page')
    await tap(t.child.report)
    const report = await opened
    const save = page.getByRole('link', { name: t.child.reportSave })
    await report.waitForURL((await save.getAttribute('href')) ?? '', { waitUntil: 'commit' })
    const saved = page.waitForEvent('download')
    await save.click()
    assert.match((await saved).suggestedFilename(), /^Mina Kim \d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d\.pdf$/)
    assert.equal((await (await made).body()).subarray(0, 5).toString(), '%PDF-')
    // Chromium's viewer has no event for that.
    await report.waitForTimeout(3000)
    await report.screenshot({ path: `${pictures}/21-report-${locale}.png` })
    await page.keyboard.press('Escape')
    await page.locator(`a[data-child="${mina.id}"]:focus`).waitFor()
    assert(!report.isClosed(), 'The report was closed with the child')

    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: mina.first_name }).waitFor()
    await farAway(desk, locale)
    await withoutChart(desk, t)
    await signOutFromChild(desk, t, { name: mina.first_name, report })
    await page.goto(`${origin}/clinic/${id}/nothing`)
    await sees(t.notFound.text)
    await shows('22-not-found')
    await tap(t.child.back, 'link')
    await page.getByRole('heading', { name: t.list.title }).waitFor()

    await recordNumbers(desk, t, mina.first_name)

    await tap(t.nav.members, 'link')
    await page.getByLabel(t.members.email).fill(`nurse-${locale}@clinic.example.org`)
    await tap(t.members.send)
    await sees(t.members.sent(`nurse-${locale}@clinic.example.org`))
    await shows('30-members')
    await tap(t.members.removeOf(name))
    await page.getByRole('dialog').waitFor()
    await shows('31-member-removal')
    await page.getByRole('dialog').getByRole('button', { name: t.members.remove }).click()
    await sees(t.failures['Last admin'] ?? '')
    await page.keyboard.press('Escape')
    await tap(t.members.withdrawOf(`nurse-${locale}@clinic.example.org`))
    await page.getByRole('dialog').getByRole('button', { name: t.members.withdraw }).click()
    await page.locator('h1:focus').waitFor()
    await page.getByLabel(t.members.email).fill(`nurse-${locale}@clinic.example.org`)
    await tap(t.members.send)
    await sees(t.members.sent(`nurse-${locale}@clinic.example.org`))

    await passkeys(desk, t)

    await tap(t.nav.code, 'link')
    await sees(t.code.who.admin)
    await page.getByLabel(t.code.field).fill('7K3M')
    await tap(t.code.show)
    await sees(t.code.issue)
    await shows('40-code-wrong')
    await page.getByLabel(t.code.field).fill(clinic.code.toLowerCase())
    await tap(t.code.show)
    await sees(clinic.code)
    await shows('41-code-sheet')
    await prints(`41-code-sheet-${locale}`)

    const nurse = await openDesk(browser, { service: origin, locale, surroundings, pictures, complaints })
    const invitation = new URL(await service.mailedLink(`nurse-${locale}@clinic.example.org`))
    await nurse.page.goto(`${origin}${invitation.pathname}${invitation.search}`)
    await nurse.page.getByLabel(t.invitation.name).fill('Nurse Yuna Seo')
    await nurse.tap(t.invitation.submit)
    await nurse.tap(t.nav.code, 'link')
    await nurse.sees(t.code.who.clinician)
    await nurse.shows('42-code-of-a-clinician')
    assert.equal(await nurse.page.getByRole('link', { name: t.nav.members }).count(), 0)
    const [patient] = others
    assert(patient)
    const childPage = `${origin}/clinic/${id}/child/${patient}`
    // A search by name would tell the parents of namesakes that somebody looked.
    const [asked] = await Promise.all([
      nurse.page.waitForRequest(/clinics\.listChildren/),
      nurse.page.goto(childPage),
    ])
    const asksFor: unknown = JSON.parse(new URL(asked.url()).searchParams.get('input') ?? '')
    assert.deepEqual(asksFor, { clinic_id: clinic.clinic_id, real_user_id: patient })
    await nurse.page.getByLabel(t.child.record).waitFor()
    await nurse.page.getByRole('cell', { name: t.nights.usualGoal }).first().waitFor()
    assert.equal(await nurse.page.getByRole('button', { name: t.connection.end }).count(), 0)
    await page.goto(childPage)
    await tap(t.connection.end)
    await sees(t.connection.ends[0] ?? '')
    await shows('43-end-of-a-connection')
    const end = page.getByRole('dialog').getByRole('button', { name: t.connection.end })
    await context.setOffline(true)
    await end.click()
    await page.getByRole('dialog').getByText(t.offline).waitFor()
    await tap(t.cancel)
    await context.setOffline(false)
    await page.waitForResponse(/children\.read/)
    assert.equal((await parent.clinics.listConnections({ real_user_id: patient })).length, 1)
    await tap(t.connection.end)
    await end.click()
    await sees(t.access.connection)
    await nurse.sees(t.access.child)
    await shows('44-connection-ended')
    assert.deepEqual(await parent.clinics.listConnections({ real_user_id: patient }), [])
    await nurse.context.close()
    await tap(t.child.back, 'link')
    await sees(t.list.total(55))
    await tap(t.nav.code, 'link')

    await tap(t.signIn.out)
    await sees(t.ended.signed_out)
    await isTitled(t.signIn.title)
    await shows('50-signed-out')
    await tap(t.signIn.submit)
    await sees(clinic.code)
    await page.clock.install()
    // Timers that were started before that are not those of the installed clock.
    await page.reload()
    await sees(clinic.code)
    const otherTab = await context.newPage()
    await otherTab.goto(page.url())
    await otherTab.getByText(clinic.code).waitFor()
    await page.clock.fastForward('15:00')
    await otherTab.keyboard.press('Shift')
    await page.clock.fastForward('15:00')
    await tap(t.nav.children, 'link')
    await page.getByRole('heading', { name: t.list.title }).waitFor()
    await otherTab.close()
    await tap(t.nav.code, 'link')
    await sees(clinic.code)
    await page.clock.fastForward('21:00')
    await sees(t.idle)
    await tap(t.signIn.submit)
    await sees(clinic.code)

    // The browser is closed, and opened again.
    const codePage = page.url()
    await page.goto('about:blank')
    await page.clock.fastForward('21:00')
    await page.goto(codePage)
    await sees(t.idle)
    await tap(t.signIn.submit)
    await sees(clinic.code)
    // The computer sleeps, so that no timer runs. Whoever wakes it sees nothing, even before the service is told.
    const delay = Promise.withResolvers<void>()
    await page.route(/auth\.signOut/, async (route) => {
      await delay.promise
      await route.continue()
    })
    await page.clock.setSystemTime(await page.evaluate(() => Date.now() + 21 * 60_000))
    await page.mouse.move(200, 200)
    await page.getByText(clinic.code).waitFor({ state: 'hidden' })
    delay.resolve()
    await sees(t.idle)
    await page.unroute(/auth\.signOut/)
    await tap(t.signIn.submit)
    await sees(clinic.code)
    await page.clock.fastForward('01:00')
    await page.mouse.move(300, 300)
    await tap(t.nav.children, 'link')
    await page.getByRole('heading', { name: t.list.title }).waitFor()

    await page.goto(`${origin}/clinic/${id}/child/${mina.id}`)
    await page.getByRole('heading', { name: mina.first_name }).waitFor()
    const { items } = await parent.shares.access({ real_user_id: mina.id })
    assert(
      items.some((each) => each.name === `${clinic.name}, ${name}`),
      JSON.stringify(items),
    )
    const { current } = await parent.plans.list({ real_user_id: mina.id })
    assert.deepEqual([current?.minutes, current?.set_by], [300, 'clinic'])
    await parent.clinics.disconnect({ connection_id })
    const endedAt = Date.now()
    await sees(t.access.child)
    console.log(`The open screen said so after ${Date.now() - endedAt} ms`)
    await isTitled(t.access.title)
    await shows('60-access-ended')
    await service.companion('clinic', 'remove', id)
    await page.goto(`${origin}/clinic/${id}`)
    await sees(t.noClinic.title).catch(() => sees(t.access.clinic))
    await shows('61-no-clinic')
  } catch (error) {
    await page.screenshot({ path: `${pictures}/broken-off-${locale}.png`, fullPage: true })
    throw error
  } finally {
    await context.close()
  }
}

/** The rows of the nights on the page of a child. */
const nightsOn = (page: Page) => page.locator('section[aria-labelledby="nights-title"] tbody tr')

const weekOn = (page: Page) => page.locator('section[aria-labelledby="week-title"]').innerText()

const dayIn = (timeZone: string) => new Date().toLocaleDateString('en-CA', { timeZone })

/** Where it is another day than at the service, the page of a child shows the same. */
async function farAway({ page, context }: Desk, locale: string): Promise<void> {
  const timezoneId = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].find(
    (zone) => dayIn(zone) !== dayIn(HOME_TIME_ZONE),
  )
  assert(timezoneId)
  const storageState = await context.storageState()
  const other = await browser.newContext({ locale, timezoneId, storageState })
  const far = await other.newPage()
  await far.goto(page.url())
  await nightsOn(far).first().waitFor()
  assert.deepEqual(await nightsOn(far).allInnerTexts(), await nightsOn(page).allInnerTexts())
  assert.equal(await weekOn(far), await weekOn(page))
  await other.close()
}

/** The chart does not load, as after the service has got another build. */
async function withoutChart({ page, context }: Desk, t: Texts): Promise<void> {
  // Not the page itself, which would complain.
  const tab = await context.newPage()
  await tab.route(/night-chart/, (route) => route.abort())
  await tab.goto(page.url())
  await tab.getByRole('alert').getByText(t.unexpected).waitFor()
  assert.equal(await nightsOn(tab).count(), 30)
  await tab.unroute(/night-chart/)
  await tab.getByRole('button', { name: t.retry }).click()
  await tab.locator('.recharts-bar-rectangle').first().waitFor()
  await tab.close()
}

/** Signs out while the service is slow: nothing of a child may stay, or come later. Then signs in again. */
async function signOutFromChild(
  { page, context, tap }: Desk,
  t: Texts,
  { name, report }: { name: string; report: Page },
): Promise<void> {
  const delay = Promise.withResolvers<void>()
  const slow = /auth\.signOut|pdf\/export/
  await context.route(slow, async (route) => {
    const response = await route.fetch()
    await delay.promise
    await route.fulfill({ response }).catch(() => undefined)
  })
  const opened = context.waitForEvent('page')
  await tap(t.child.report)
  const late = await opened
  const closed = Promise.all([report, late].map((tab) => tab.waitForEvent('close')))
  const otherTab = await context.newPage()
  await otherTab.goto(page.url())
  const names = [page, otherTab].map((tab) => tab.getByRole('heading', { name }))
  await names[1]?.waitFor()
  await tap(t.signIn.out)
  for (const each of names) await each.waitFor({ state: 'hidden' })
  await closed
  // Nor is the session there again where the page is loaded before the service has answered.
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const again = page.waitForRequest(/auth\.signOut/)
  await page.reload()
  await again
  assert.deepEqual(
    asked.filter((url) => url.includes('children.read')),
    [],
  )
  delay.resolve()
  for (const tab of [page, otherTab]) await tab.getByText(t.ended.signed_out).waitFor()
  await otherTab.close()
  assert.equal(context.pages().length, 1)
  await context.unroute(slow)
  await tap(t.signIn.submit)
  await page.getByRole('heading', { name }).waitFor()
}

/** A colleague changes the record number of the only child of this name, after the list was read and while somebody types. */
async function recordNumbers({ page, sees, tap, context }: Desk, t: Texts, name: string): Promise<void> {
  // So that only the list knows the number.
  await page.reload()
  await page.getByRole('searchbox').fill(name)
  await page.keyboard.press('Enter')
  await sees(t.list.page(1, 1, 1))
  const link = page.locator('a[data-child]')
  const colleague = await context.newPage()
  await colleague.goto(new URL((await link.getAttribute('href')) ?? '', page.url()).href)
  const saveThere = async (number: string) => {
    await colleague.getByLabel(t.child.record).fill(number)
    await colleague.getByRole('button', { name: t.save, exact: true }).click()
    await colleague.getByText(t.saved).waitFor()
  }
  await saveThere('R-5678')
  await link.click()
  const field = page.getByLabel(t.child.record)
  await page.locator('input[value="R-5678"]').waitFor()
  await field.fill('R-9')
  await saveThere('R-777')
  // This answers the stored number.
  await tap(t.list.unseen)
  await sees(t.child.recordStored('R-777'))
  assert.equal(await field.inputValue(), 'R-9')
  await field.fill('R-777')
  await page.getByText(t.child.recordStored('R-777')).waitFor({ state: 'hidden' })
  await tap(t.list.seen)
  await sees(t.list.unseen)
  await colleague.close()
}

/** Adds a passkey on another device, and removes the one before. */
async function passkeys({ page, sees, tap, shows, changeAuthenticator }: Desk, t: Texts): Promise<void> {
  const key = 'YubiKey 5'
  await tap(t.nav.passkeys, 'link')
  const remove = page.getByRole('table').getByRole('button')
  await remove.click()
  await page.getByRole('dialog').getByRole('button', { name: t.passkeys.remove }).click()
  await sees(t.failures['Last passkey'] ?? '')
  await shows('32-last-passkey')
  await page.keyboard.press('Escape')
  await page.getByLabel(t.passkeys.name, { exact: true }).fill(key)
  await page.keyboard.press('Enter')
  await sees(t.passkeyFailures.known)
  await changeAuthenticator()
  await tap(t.passkeys.submit)
  await sees(t.passkeys.added(key))
  await page.getByRole('rowheader', { name: key }).waitFor()
  await shows('33-passkeys')
  await remove.first().click()
  await page.getByRole('dialog').getByRole('button', { name: t.passkeys.remove }).click()
  await page.locator('h1:focus').waitFor()
  assert.equal(await page.getByRole('rowheader').count(), 1)
  await page.getByRole('rowheader', { name: key }).waitFor()
}

try {
  for (const walk of walks) await tell(walk)
} finally {
  await browser.close()
  await service.stop()
}
if (complaints.length > 0)
  throw new Error(`The application complained:\n${[...new Set(complaints)].join('\n')}`)
console.log(`The story was told; its pictures are in ${pictures}`)
