import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import type { Phone } from './phone.ts'
import { soon } from './soon.ts'

/** The smallest phone, with normal or with doubled text size. */
export async function smallPhone(phone: Phone, name: string): Promise<void> {
  const { page, tap, type, sees, focuses, picture } = phone
  const shot = async (what: string) => {
    await picture(`${name}-${what}`)
    await soon(async () => {
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      assert.equal(wide, window, `${name}-${what} is wider than the screen`)
    })
  }
  await type('E-mail', 'demo@example.com')
  await type('Password', 'demo-family-2026')
  await tap('Sign in')
  await sees('Last night')
  await shot('01-today')
  await tap('Trends', 'tab')
  await sees('Humidity')
  await page.getByText('Sleep environment').scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 2000)
  await shot('02-environment')
  await tap('Calendar', 'tab')
  await sees('Note')
  await shot('03-calendar')
  const days = page.getByRole('button', { name: /^[A-Z][a-z]+day, / }).filter({ visible: true })
  await soon(() => fits(days.first()))
  await tap('Report', 'tab')
  await sees('Report for the clinic')
  await sees('Create the report')
  await page.getByRole('radio', { name: '1 month' }).first().focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await soon(async () => {
    assert(
      await page.getByRole('radio', { name: '2 months', exact: true }).isChecked(),
      'the space bar chooses nothing',
    )
    const ring = await page.evaluate(() => document.activeElement && getComputedStyle(document.activeElement))
    assert.equal(ring?.outlineStyle, 'solid', 'the focus cannot be seen')
  })
  await shot('04-report')
  await tap('Settings', 'tab')
  await tap('Children and devices')
  await tap('Add a child')
  await page.mouse.wheel(0, 400)
  await soon(async () => {
    const [first, last] = ['Female', 'Prefer not to say'].map((option) =>
      page.getByRole('radio', { name: option, exact: true }).boundingBox(),
    )
    assert(((await first)?.y ?? 0) + 40 < ((await last)?.y ?? 0), 'four options squeeze into one row')
  })
  await type('Device ID', 'de000000-0000-4000-8000-000000000003')
  await tap('Add and pair')
  const child = page.getByLabel("Child's name")
  await sees('Please fill this in')
  await focuses(child)
  await soon(async () => {
    const box = await child.boundingBox()
    assert(box && box.y > 0 && box.y + box.height < (page.viewportSize()?.height ?? 0))
  })
  await shot('05-refused')
  await page.getByLabel('Device ID').scrollIntoViewIfNeeded()
  await shot('06-device-id')
}

/** Asserts that a control is tall enough for its content. */
async function fits(control: Locator): Promise<void> {
  const [inside, outside] = await control.evaluate((element) => [element.scrollHeight, element.clientHeight])
  assert(inside !== undefined && outside !== undefined && inside <= outside)
}
