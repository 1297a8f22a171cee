/*
 * Takes a picture of every screen of the app in both languages and themes and at every size, for people to look at:
 *
 *   node story/sweep.ts [ko-dark-320x2 …]
 *
 * The pictures are in `dist/story/sweep`, a folder for each combination. Fails when axe finds a fault, or when a text is
 * cut off.
 */
import { en } from '../src/i18n/en.ts'
import { ko } from '../src/i18n/ko.ts'
import { enoughOfToday } from './home.ts'
import type { Phone, Surroundings } from './phone.ts'
import { onStage } from './stage.ts'

/** So high that next to nothing has to be scrolled; the numbers are width, height and the size of letters. */
const sizes = {
  320: [320, 1400, 1],
  '320x2': [320, 3400, 2],
  390: [390, 1400, 1],
  820: [820, 1180, 1],
} as const
const languages = { en: ['en-US', en], ko: ['ko-KR', ko] } as const
type Texts = (typeof languages)[keyof typeof languages][1]

const combinations = Object.entries(languages).flatMap(([language, [locale, texts]]) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    Object.entries(sizes).map(([size, [width, height, letters]]) => {
      const surroundings: Surroundings = { locale, colorScheme, viewport: { width, height }, letters }
      return { name: `${language}-${colorScheme}-${size}`, texts, surroundings }
    }),
  ),
)
const asked = process.argv.slice(2)
const chosen = combinations.filter(({ name }) => asked.length === 0 || asked.includes(name))

await enoughOfToday()
const cut: string[] = []
await onStage(new URL('../dist/', import.meta.url), async ({ tell }) => {
  for (const { name, texts, surroundings } of chosen) {
    await tell(surroundings, async (phone) => {
      const picture = async (screen: string) => {
        await phone.picture(`sweep/${name}/${screen}`)
        const found = await phone.page.evaluate(cutTexts)
        cut.push(...found.map((text) => `${name}/${screen}: ${text}`))
      }
      await signedOut({ ...phone, picture }, texts)
      await signedIn({ ...phone, picture }, texts)
    })
  }
})
if (cut.length > 0) throw new Error(`Texts are cut off:\n${cut.join('\n')}`)

/** The texts that stick out of the window, or of what hides everything outside itself. Runs in the page. */
function cutTexts(): string[] {
  const texts: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement, textContent } = node
    const isShown = parentElement?.checkVisibility({ visibilityProperty: true })
    if (!isShown || parentElement?.closest('[inert]') || !textContent?.trim()) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const { left, right, top, bottom } = range.getBoundingClientRect()
    let isCut = left < -1 || right > innerWidth + 1
    let scrolls = false
    for (let box = parentElement; box; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box)
      const around = box.getBoundingClientRect()
      scrolls ||= overflowY === 'auto' || overflowY === 'scroll'
      isCut ||= overflowX === 'hidden' && (left < around.left - 1 || right > around.right + 1)
      // A line is higher than its letters.
      isCut ||= !scrolls && overflowY === 'hidden' && (top < around.top - 6 || bottom > around.bottom + 6)
    }
    if (isCut) texts.push(textContent)
  }
  return texts
}

async function signedOut({ tap, type, sees, picture }: Phone, t: Texts): Promise<void> {
  await sees(t.tagline)
  await picture('01-sign-in')
  await tap(t.signIn.create)
  await sees(t.signUp.phoneTitle)
  await tap(t.signUp.otherCountry, 'radio')
  await type(t.signUp.phone, '12')
  await tap(t.signUp.sendCode)
  await sees(t.faults.phone)
  await picture('03-phone')
  await tap(t.back)
  await tap(t.signIn.forgot)
  await sees(t.signIn.resetHint)
  await picture('04-reset')
  await tap(t.back)
  await tap(t.signIn.forgotEmail)
  await sees(t.signIn.findHint)
  await picture('05-find')
  await tap(t.back)
}

async function signedIn(phone: Phone, t: Texts): Promise<void> {
  const { page, tap, type, sees, picture } = phone
  const open = (label: string) =>
    page
      .getByRole('button', { name: new RegExp(`^${label}`) })
      .filter({ visible: true })
      .first()
      .click()
  const shown = async (name: string, text: string) => {
    await sees(text)
    await picture(name)
  }
  await type(t.signIn.email, 'demo@example.com')
  await type(t.signIn.password, 'demo-family-2026')
  await tap(t.signIn.submit)
  await sees(t.today.todaysNote)
  await shown('10-today', t.trends.usage)
  await tap(t.tabs.trends, 'tab')
  await shown('11-trends-7', t.trends.humidity)
  await tap(t.trends.month, 'radio')
  await shown('12-trends-30', t.trends.humidity)
  await tap(t.trends.quarter, 'radio')
  await shown('13-trends-90', t.trends.humidity)
  await tap(t.tabs.calendar, 'tab')
  await shown('14-calendar', t.calendar.treatment)
  await open(`(${t.calendar.writeNote}|${t.calendar.editNote})`)
  await tap(t.calendar.addMedication)
  await tap(t.calendar.addHospital)
  await shown('15-note', t.calendar.hospitalName)
  await tap(t.back)
  await shown('16-note-left', t.calendar.leaveQuestion)
  await tap(t.calendar.leave)
  await tap(t.tabs.report, 'tab')
  await shown('17-report', t.spreadsheet.download)
  await tap(t.tabs.settings, 'tab')
  await shown('20-settings', t.settings.marketing)
  await tap(t.settings.children)
  await shown('21-children', t.children.add)
  await tap(t.children.unpair)
  await shown('22-unpair', t.children.unpairQuestion)
  await open(t.children.edit('Mina'))
  await shown('23-edit-child', t.children.deviceName)
  await tap(t.back)
  await open(t.sharing.of('Mina'))
  await shown('24-people', t.sharing.send)
  await tap(t.back)
  await tap(t.children.add)
  await tap(t.pairing.submitChild)
  await shown('25-add-child', t.pairing.uuid)
  await tap(t.back)
  await tap(t.sharing.acceptTitle)
  await shown('26-accept', t.sharing.acceptHint)
  await tap(t.back)
  await tap(t.back)
  for (const [n, [label, text]] of [
    [t.basestation.title, t.basestation.disconnect],
    [t.connections.title, t.connections.none],
    [t.settings.details, t.save],
    [t.signUp.phone, t.signUp.sendCode],
    [t.settings.changePassword, t.settings.newPassword],
    [t.exportData.title, t.exportData.format],
  ].entries()) {
    await open(label ?? '')
    await shown(`3${n}-${['basestation', 'apps', 'details', 'phone', 'password', 'export'][n]}`, text ?? '')
    await tap(t.back)
  }
  await open(t.settings.deleteAccount)
  await shown('40-delete', t.settings.deleteQuestion)
  await tap(t.cancel)
  await open(t.settings.signOut)
  await sees(t.tagline)
}
