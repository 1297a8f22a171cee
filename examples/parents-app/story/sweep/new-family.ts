import { lastNightDate, nightBeforeLast } from '../home.ts'
import type { OtherPhone } from '../other-phone.ts'
import { answerMail } from '../mailed-link.ts'
import { partOf } from './screen.ts'
import type { SweepPhone } from './screen.ts'
import { PASSWORD, PERSON } from './signed-out.ts'

/** A device of its own for each language. */
const DEVICE = {
  en: { serial: 'SWEEP-001', mac: '5EE1', id: 'de000000-0000-4000-8000-0000000000e1' },
  ko: { serial: 'SWEEP-002', mac: '5EE2', id: 'de000000-0000-4000-8000-0000000000e2' },
} as const

/** The buttons of the page that the link of a mail opens. */
const ANSWERS = {
  en: { mine: 'Yes, it is mine', notMine: 'It is not mine' },
  ko: { mine: '네, 내 주소입니다', notMine: '내 주소가 아닙니다' },
} as const

/** What a new account sees: first nothing, then a child without nights, the first nights, and a child of somebody else. */
export async function sweepNewFamily(visit: SweepPhone, demo: OtherPhone): Promise<void> {
  const { t, language, service, page, tap, type, sees, shows, open } = visit
  const { serial, mac, id } = DEVICE[language]
  await service.companion('device', 'add', '--serial-code', serial, '--mac-id', mac, '--unique-id', id)
  await shows('50-welcome', t.children.empty)
  await mendEmail(visit)
  await tap(t.tabs.settings, 'tab')
  await tap(t.basestation.title)
  await type(t.pairing.uuid, 'b0b0')
  await tap(t.basestation.connect)
  await shows('51-no-basestation', t.issues.unique_id)
  await tap(t.back)
  await tap(t.exportData.title)
  await type(t.settings.currentPassword, PASSWORD)
  await tap(t.exportData.submit)
  await shows('52-exported', t.exportData.done)
  await tap(t.back)
  await tap(t.settings.children)
  await tap(t.children.add)
  await type(t.children.name, language === 'ko' ? '하나' : 'Hana')
  await type(t.signUp.birthdate, '2018-02-03')
  await type(t.pairing.serial, `companion://device?serial_code=${serial}&mac_id=${mac}&unique_id=${id}`)
  await shows('53-add-child', t.pairing.uuid)
  await tap(t.pairing.submitChild)
  await tap(t.tabs.today, 'tab')
  await shows('54-no-nights', t.today.noNights)
  await tap(t.tabs.trends, 'tab')
  await shows('55-no-trends', t.trends.noBasestation)
  await tap(t.tabs.calendar, 'tab')
  await tap(t.calendar.previous)
  await page
    .getByRole('button', { name: language === 'ko' ? /월 2일/ : /, \w+ 2$/ })
    .filter({ visible: true })
    .first()
    .click()
  await shows('56-before-pairing', partOf(t.uploads.pairedAt))
  await tap(t.calendar.next)
  await tap(t.tabs.report, 'tab')
  await shows('57-needs-basestation', t.report.needsBasestation)

  await service.simulate(
    'nights',
    '--unique-id',
    id,
    '--nights',
    '3',
    '--until',
    nightBeforeLast(),
    '--batch',
    '100',
  )
  await loseContact(service.url, id)
  await page.reload()
  await tap(t.tabs.today, 'tab')
  await shows('58-contact-lost', partOf(t.night.lostAt))
  await open(t.help.topics[4].line)
  await shows('58-help-contact', t.help.topics[4].text)
  await tap(t.back)

  await tap(t.tabs.settings, 'tab')
  await tap(t.settings.children)
  await tap(t.children.unpair)
  await sees(t.children.unpairQuestion)
  await tap(t.children.unpair)
  await shows('59-no-device', t.children.noDevice)
  await tap(t.children.pair)
  await tap(t.pairing.submit)
  await shows('60-pair', t.issues.unique_id)
  await tap(t.back)
  await tap(t.back)
  await tap(t.tabs.today, 'tab')
  await shows('61-today-no-device', t.children.noDevice)
  await tap(t.tabs.settings, 'tab')
  await open(t.settings.signOut)
  await sees(t.tagline)

  const { email } = PERSON[language]
  await demo.invite(email)
  const link = new URL(await service.mailedLink(email))
  await page.goto(`${visit.front.url}/invitation${link.search}`)
  await shows('62-invited', t.sharing.signInFirst)
  await type(t.signIn.email, email)
  await type(t.signIn.password, PASSWORD)
  await tap(t.signIn.submit)
  await shows('63-accept', t.sharing.acceptHint)
  await tap(t.sharing.accept)
  await shows('64-viewer-today', t.sharing.sharedAs.viewer)
  await tap(t.tabs.settings, 'tab')
  await tap(t.settings.children)
  await sees(t.sharing.may.viewer)
  await tap(t.sharing.leave)
  await shows('65-shared-child', t.sharing.leaveQuestion('Mina'))
  await tap(t.back)
  await demo.endShares()
  await page.reload()
  await tap(t.tabs.today, 'tab')
  await shows('65-share-ended', t.lost.ended('Mina'))
  await tap(t.lost.read)
  await demo.invite(email, 'guardian')
  await page.goto(`${visit.front.url}/invitation${new URL(await service.mailedLink(email)).search}`)
  await tap(t.sharing.accept)
  await sees(t.sharing.sharedAs.guardian)
  await demo.offer()
  await page.reload()
  await tap(t.tabs.today, 'tab')
  await sees(t.transfer.offered('Kim Jiyoung', 'Mina'))
  await tap(t.transfer.decline)
  await shows('65-offered', t.transfer.declineQuestion('Kim Jiyoung'))
  await tap(t.transfer.decline)
  await tap(t.tabs.settings, 'tab')
  await open(t.settings.signOut)
  await shows('66-signed-out', t.ended.signed_out)
}

/** The address of the account: not confirmed, taken from it by its reader, set again, confirmed. Starts and ends in the tabs. */
async function mendEmail(visit: SweepPhone): Promise<void> {
  const { t, language, service, tap, type, sees, shows, open, comesBack } = visit
  const { email } = PERSON[language]
  await open(t.email.confirm)
  await shows('50-email', t.email.why)
  await tap(t.email.resend)
  await shows('50-email-resent', t.email.resent(email))
  await type(t.email.next, email)
  await type(t.settings.currentPassword, PASSWORD)
  await tap(t.email.change)
  await shows('50-email-taken', t.failures['Same email is already registered'] ?? '')
  await answerMail(visit, service, email, ANSWERS[language].notMine)
  await comesBack()
  await shows('50-email-rejected', t.email.add)
  await tap(t.back)
  await shows('50-no-email', t.email.rejected)
  await tap(t.tabs.settings, 'tab')
  await shows('50-settings-no-email', t.email.none)
  await open(t.signIn.email)
  await type(t.email.next, email)
  await type(t.settings.currentPassword, PASSWORD)
  await tap(t.email.add)
  await shows('50-email-sent', t.email.sent(email))
  await answerMail(visit, service, email, ANSWERS[language].mine)
  await comesBack()
  await shows('50-email-confirmed', t.email.confirmed)
  await tap(t.back)
  await sees(email)
}

/** Uploads a use of 20 minutes of last evening, which ended because the electrodes lost contact. */
async function loseContact(url: string, unique_id: string): Promise<void> {
  const item = {
    unique_id,
    log_file_id: 90_001,
    detail_data: {
      treatment_date: `${lastNightDate()}T19:00:00`,
      treatment_time: 1_200,
      last_intensity: 15,
      finish_flag: '4',
    },
    intensity_record: [8, 12, 15, 15].map((intensity) => ({ intensity })),
  }
  const response = await fetch(`${url}/api/v1/gamma/device/devlog`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([item]),
  })
  if (!response.ok) throw new Error(`The upload was answered with ${response.status}`)
}
