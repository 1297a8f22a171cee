import { dateAtHome } from '../home.ts'
import type { OtherPhone } from '../other-phone.ts'
import { signIn } from './demo-family.ts'
import type { SweepPhone } from './screen.ts'

/** The demo family in a tunnel, and beside a parent who writes at the same time. Ends signed out. */
export async function offline(visit: SweepPhone, other: OtherPhone): Promise<void> {
  const { t, front, page, tap, type, sees, misses, shows, open, comesBack } = visit
  const today = dateAtHome(new Date())
  await other.write(today, '')
  await signIn(visit)
  await tap(t.calendar.writeNote)
  await type(t.calendar.memo, 'Up at six, cheerful.')
  await other.write(today, 'Had a fever at five.')
  await tap(t.save)
  await shows('70-conflict', t.calendar.conflict)
  await tap(t.calendar.useTheirs)
  await misses(t.calendar.conflict)
  await tap(t.back)
  await sees('Had a fever at five.')

  front.connected = false
  await page.reload()
  await shows('71-offline-today', t.states.offlineShown)
  await tap(t.calendar.editNote)
  await type(t.calendar.memo, 'Slept till seven, cheerful.')
  await tap(t.save)
  await shows('72-queued', t.states.queued)
  await tap(t.tabs.trends, 'tab')
  await tap(t.trends.quarter, 'radio')
  await shows('73-trends-not-loaded', t.states.offline)
  await tap(t.tabs.calendar, 'tab')
  for (let month = 0; month < 2; month += 1) await tap(t.calendar.previous)
  await page
    .getByRole('button', { name: new RegExp(`${t.calendar.notLoaded}$`) })
    .filter({ visible: true })
    .first()
    .waitFor()
  await shows('74-month-not-loaded', t.states.offline)
  await tap(t.tabs.report, 'tab')
  await shows('75-report-offline', t.states.offline)
  await tap(t.tabs.settings, 'tab')
  await shows('76-settings-offline', t.states.offlineShown)

  await other.write(today, 'Slept till eight.')
  await tap(t.tabs.today, 'tab')
  front.connected = true
  await comesBack()
  await shows('77-refused', 'Slept till eight.')
  await tap(t.calendar.useTheirs)
  await misses('Slept till seven, cheerful.')
  await tap(t.tabs.settings, 'tab')
  await open(t.settings.signOut)
  await sees(t.tagline)
  front.connected = false
  await type(t.signIn.email, 'demo@example.com')
  await type(t.signIn.password, 'demo-family-2026')
  await tap(t.signIn.submit)
  await shows('78-sign-in-offline', t.states.offline)
  front.connected = true
}
