import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Texts } from '../src/i18n/en.ts'
import type { Desk } from './browser.ts'

/** Of the children of the story, the parts of the name of one whose family name is Korean. */
const KOREAN = { first: '서윤', full: '정서윤' }

const first = (page: Page) => page.locator('tbody tr:first-child a[data-child]:focus')
const range = (page: Page) => page.locator('.pages p').innerText()

/** Holds the answers of the list back until the returned function is called. */
async function hold(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const answers: Promise<void>[] = []
  await page.route(/clinics\.listChildren/, (route) => {
    answers.push(held.promise.then(() => route.continue()))
  })
  return async () => {
    held.resolve()
    await Promise.all(answers)
    await page.unroute(/clinics\.listChildren/)
  }
}

/** Whether the element with the focus is within the window. */
const isInView = (page: Page) =>
  page.evaluate(() => {
    const { top, bottom } = document.activeElement?.getBoundingClientRect() ?? { top: -1, bottom: -1 }
    return top >= 0 && bottom <= innerHeight
  })

/** Until the answer is there, the rows are not said to be it. */
async function filter({ page, tap }: Desk, t: Texts): Promise<void> {
  const answer = await hold(page)
  await page.getByRole('button', { name: new RegExp(`^${t.flags.falling}`) }).click()
  await page.locator('[aria-busy=true] tbody').waitFor()
  assert.equal(await range(page), '')
  await page.waitForURL(/\?flag=falling$/)
  assert.equal(await page.locator('.heading p').textContent(), '')
  for (const name of [t.list.next, t.list.previous])
    assert(await page.getByRole('button', { name }).isDisabled(), name)
  await answer()
  await page.locator('[aria-busy=false] tbody').waitFor()
  const found = await page.locator('tbody tr').count()
  await page
    .getByRole('status')
    .filter({ hasText: t.list.total(found) })
    .waitFor()
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: t.list.total(found) })
    .waitFor()
  await page.locator('nav a[aria-current=page]', { hasText: t.nav.children }).waitFor()
  await tap(t.list.all)
  await page.getByText(t.list.page(1, 50, 56)).waitFor()
}

/** Pressed twice, "Next page" is still the next page; the new page is read from its top. */
async function turn({ page, sees, tap }: Desk, t: Texts): Promise<void> {
  await page.getByLabel(t.list.sort).selectOption('name')
  await sees(t.list.page(1, 50, 56))
  const answer = await hold(page)
  await page.getByRole('button', { name: t.list.next }).dblclick()
  await answer()
  await sees(t.list.page(51, 56, 56))
  await tap(t.list.previous)
  await sees(t.list.page(1, 50, 56))
  await first(page).waitFor()
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await tap(t.list.next)
  await first(page).waitFor()
  assert(await isInView(page))
  await tap(t.list.previous)
  await first(page).waitFor()
  assert(await isInView(page))
}

/** A page whose beginning the service does not know leads to the first one. */
async function unknownCursor({ page, sees }: Desk, t: Texts): Promise<void> {
  await page.getByLabel(t.list.sort).selectOption('since')
  await sees(t.list.page(1, 50, 56))
  await page.locator('td[data-column=name]').first().getByText(t.list.since('').trim()).waitFor()
  const detail = [{ loc: ['after'], msg: 'Input should be a cursor', type: 'value_error' }]
  const refusal = {
    error: { message: 'Refused', code: -32600, data: { status: 422, httpStatus: 422, detail } },
  }
  await page.route(/clinics\.listChildren.*after/, (route) => route.fulfill({ status: 422, json: refusal }))
  const refused = page.waitForResponse((response) => response.status() === 422)
  await page.keyboard.press('n')
  await refused
  await first(page).waitFor()
  await sees(t.list.page(1, 50, 56))
  assert.equal(await page.getByRole('alert').count(), 0)
  await page.unroute(/clinics\.listChildren.*after/)
  await page.getByLabel(t.list.sort).selectOption('flags')
  await sees(t.list.page(1, 50, 56))
}

/** Whichever way leads back from a child, its row is in view and has the focus. */
async function wayBack({ page, tap }: Desk, t: Texts): Promise<void> {
  const ways = [
    () => page.keyboard.press('Escape'),
    () => tap(`← ${t.child.back}`, 'link'),
    () => page.goBack(),
  ]
  for (const [index, back] of ways.entries()) {
    const link = page.locator('a[data-child]').nth(30 + index)
    const id = (await link.getAttribute('data-child')) ?? ''
    await link.click()
    await page.getByLabel(t.child.record).waitFor()
    await back()
    await page.locator(`a[data-child="${id}"]:focus`).waitFor()
    // The router scrolls once it has rendered.
    await page.waitForTimeout(300)
    assert(await isInView(page), `The row is out of view after way ${index}`)
  }
}

/** A search is left by Enter, to what it found, and by Escape. */
async function search({ page }: Desk, t: Texts): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type(KOREAN.first)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: KOREAN.full, exact: true }).waitFor()
  await first(page).waitFor()
  const found = await range(page)
  await page.keyboard.press('/')
  await page.keyboard.press('Escape')
  const field = page.getByRole('searchbox')
  assert.equal(await field.inputValue(), KOREAN.first)
  assert(!(await field.evaluate((element) => element.matches(':focus'))))
  assert.equal(await range(page), found)
  await field.fill('')
  await page.getByText(t.list.page(1, 50, 56)).waitFor()
  await field.blur()
}

/** The letters of shortcuts are those on the caps. */
async function layouts({ page }: Desk): Promise<void> {
  for (const key of ['ㅓ', 'J']) {
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
    await page.evaluate(
      (written) =>
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key: written, code: 'KeyJ', bubbles: true }),
        ),
      key,
    )
    await first(page).waitFor()
  }
}

/** Held in a dialog of a child's page, Escape closes the dialog alone. */
async function heldEscape({ page }: Desk, t: Texts): Promise<void> {
  await page.locator('a[data-child]').first().click()
  await page.getByLabel(t.child.record).waitFor()
  await page.locator('h1:focus').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.down('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.down('Escape')
  await page.keyboard.up('Escape')
  assert.match(page.url(), /\/child\//)
  await page.keyboard.press('Escape')
  await page.locator('a[data-child]:focus').waitFor()
}

/** Each mark that fails is told by name, in the window, and can be set again. */
async function failedMarks({ page, sees }: Desk, t: Texts): Promise<void> {
  const rows = page.locator('tbody tr')
  const names = await rows.locator('a[data-child]').allInnerTexts()
  await page.route(/clinics\.updatePlace/, (route) => route.abort())
  for (const row of [0, 1]) {
    await rows.nth(row).locator('a[data-child]').focus()
    await page.keyboard.press('s')
  }
  const failed = page.getByRole('alert')
  for (const name of names.slice(0, 2)) await failed.filter({ hasText: `${name}: ${t.offline}` }).waitFor()
  assert(await failed.first().evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight))
  await page.unroute(/clinics\.updatePlace/)
  for (const left of [1, 0]) {
    await failed.first().getByRole('button', { name: t.retry }).click()
    await failed.nth(left).waitFor({ state: 'detached' })
  }
  for (const row of [0, 1]) {
    await rows.nth(row).getByRole('button', { name: t.list.unseen }).click()
    await rows.nth(row).getByRole('button', { name: t.list.seen, exact: false }).waitFor()
  }
  await sees(t.list.page(1, 50, 56))
}

/** The children of the last page have left the list: the page before is shown. */
async function emptiedPage({ page, sees, tap }: Desk, t: Texts): Promise<void> {
  const after = /clinics\.listChildren.*after/
  await page.route(after, async (route) => {
    const response = await route.fetch()
    const answer: unknown = await response.json()
    const [call] = Array.isArray(answer) ? answer : [answer]
    Object.assign(call.result.data, { items: [], next: null })
    await route.fulfill({ response, json: answer })
  })
  await tap(t.list.next)
  await first(page).waitFor()
  await sees(t.list.page(1, 50, 56))
  assert.equal(await page.getByText(t.list.empty).count(), 0)
  await page.unroute(after)
}

/** Of a night without a record, the chart of a child with many of them says no minutes. */
async function missingNight({ page }: Desk, t: Texts): Promise<void> {
  await page.locator('a[data-child]').first().click()
  await page.locator('.recharts-bar-rectangle').first().waitFor()
  await page.getByText(t.nights.earlier).click()
  const rows = await page.locator('section[aria-labelledby="nights-title"] tbody tr').allInnerTexts()
  const hover = async (row: number) => {
    const grid = page.locator('.recharts-cartesian-grid')
    await grid.scrollIntoViewIfNeeded()
    const plot = await grid.boundingBox()
    assert(plot)
    // The newest night is the first row, and the last column.
    const column = rows.length - 1 - row
    await page.mouse.move(plot.x + ((column + 0.5) * plot.width) / rows.length, plot.y + plot.height / 2)
    const tooltip = page.locator('.recharts-tooltip-wrapper')
    await tooltip.filter({ hasText: rows[row]?.split('\t')[0] ?? '' }).waitFor()
    return tooltip.innerText()
  }
  const hasNothing = (row: string) => row.includes(t.nights.nothing)
  assert(!(await hover(rows.findIndex(hasNothing))).includes(t.nights.minutes))
  assert((await hover(rows.findIndex((row) => !hasNothing(row)))).includes(t.nights.minutes))
  await page.keyboard.press('Escape')
  await page.locator('a[data-child]:focus').waitFor()
}

/** How the list answers, keeps the place and is used by the keyboard. It begins and ends with all 56 children in the usual order. */
export const listSteps = [
  filter,
  turn,
  unknownCursor,
  wayBack,
  search,
  layouts,
  heldEscape,
  failedMarks,
  emptiedPage,
  missingNight,
] as const
