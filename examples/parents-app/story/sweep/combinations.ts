import type { Page } from 'playwright-core'
import { en } from '../../src/i18n/en.ts'
import { ko } from '../../src/i18n/ko.ts'
import type { Texts } from '../../src/i18n/en.ts'
import type { Dependencies } from '../phone.ts'

/** So high that next to nothing has to be scrolled; the numbers are width, height and the size of letters. */
const sizes = {
  320: [320, 1400, 1],
  '320x2': [320, 3400, 2],
  390: [390, 1400, 1],
  820: [820, 1180, 1],
} as const

const languages = { en: ['en-US', en], ko: ['ko-KR', ko] } as const satisfies Record<
  string,
  readonly [string, Texts]
>

/** What one walk through the app, in one language, is seen in. */
export interface LanguageWalk {
  language: keyof typeof languages
  texts: Texts
  combinations: { name: string; surroundings: Required<Dependencies> }[]
}

/** The walks for the combinations with these names, such as `ko-dark-320x2`; for all if none is named. */
export function selectWalks(asked: readonly string[]): LanguageWalk[] {
  const known: string[] = []
  const all = (['en', 'ko'] as const).map((language): LanguageWalk => {
    const [locale, texts] = languages[language]
    // Two after each other differ in their scheme.
    const combinations = Object.entries(sizes).flatMap(([size, [width, height, letters]]) =>
      (['light', 'dark'] as const).map((colorScheme) => ({
        name: `${language}-${colorScheme}-${size}`,
        surroundings: { locale, colorScheme, viewport: { width, height }, letters },
      })),
    )
    known.push(...combinations.map(({ name }) => name))
    return {
      language,
      texts,
      combinations: combinations.filter(({ name }) => asked.length === 0 || asked.includes(name)),
    }
  })
  const unknown = asked.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}, only ${known.join(', ')}`)
  return all.filter(({ combinations }) => combinations.length > 0)
}

/** Changes what surrounds the open app, as turning a phone or setting it to dark does. */
export async function surround(
  page: Page,
  { colorScheme, viewport, letters }: Required<Dependencies>,
): Promise<void> {
  await page.evaluate((pixels) => {
    for (const sheet of document.adoptedStyleSheets) sheet.replaceSync(`html { font-size: ${pixels}px }`)
  }, 16 * letters)
  await page.setViewportSize(viewport)
  // Browsers tell no page that letters have grown. A change of the scheme draws all texts again.
  await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' })
  await drawn(page)
  await page.emulateMedia({ colorScheme })
  await drawn(page)
}

/** Waits until what was laid out has been measured, and laid out again by that. */
const drawn = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 4; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)))
  })
