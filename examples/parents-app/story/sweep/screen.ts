import type { Texts } from '../../src/i18n/en.ts'
import type { Phone } from '../phone.ts'
import type { Service } from '../service.ts'
import type { SameOrigin } from '../same-origin.ts'
import type { Stage } from '../stage.ts'
import type { LanguageWalk } from './combinations.ts'
import { surround } from './combinations.ts'
import { cutTexts } from './cut-texts.ts'

/** A phone that is led through the app in one language, and what is behind the app. */
export interface SweepPhone extends Phone {
  t: Texts
  language: LanguageWalk['language']
  service: Service
  front: SameOrigin
  /** Waits for a text, and takes pictures of the screen in all combinations of the walk. */
  shows: (screen: string, text: string) => Promise<void>
  /** Presses the first button whose name begins so; the second line of a row is part of its name. */
  open: (label: string) => Promise<void>
}

/** `cut` gathers the texts that are cut off. */
export const createVisit = (
  phone: Phone,
  { language, texts, combinations }: LanguageWalk,
  { service, front, cut }: { service: Service; front: SameOrigin; cut: string[] },
): SweepPhone => ({
  ...phone,
  t: texts,
  language,
  service,
  front,
  shows: async (screen, text) => {
    await phone.sees(text)
    await phone.settled()
    for (const { name, surroundings } of combinations) {
      if (combinations.length > 1) await surround(phone.page, surroundings)
      await phone.shoot(`sweep/${name}/${screen}`)
      const found = await phone.page.evaluate(cutTexts)
      cut.push(...found.map((each) => `${name}/${screen}: ${each}`))
    }
  },
  open: (label) =>
    phone.page
      .getByRole('button', { name: new RegExp(`^${escaped(label)}`) })
      .filter({ visible: true })
      .first()
      .click(),
})

/** Tells a part of each walk, on phones of their own. `cut` gathers the texts that are cut off. */
export async function runEachWalk(
  { service, front, tell }: Stage,
  walks: readonly LanguageWalk[],
  cut: string[],
  part: (visit: SweepPhone) => Promise<void>,
): Promise<void> {
  for (const walk of walks)
    await tell(firstCombination(walk).surroundings, (phone) =>
      part(createVisit(phone, walk, { service, front, cut })),
    )
}

/** The combination in which a walk begins. */
export function firstCombination({ combinations: [one] }: LanguageWalk) {
  if (!one) throw new Error('A walk without combinations')
  return one
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The pieces of a text around what is filled in. */
const around = (filled: (value: string) => string): string[] => filled('\0').split('\0')

/** The longest piece of a text beside what is filled in. */
export const partOf = (filled: (value: string) => string): string =>
  around(filled).reduce((longest, piece) => (piece.length > longest.length ? piece : longest))

/** Matches a text, with anything filled in. */
export const templatePattern = (filled: (value: string) => string): RegExp =>
  new RegExp(`^${around(filled).map(escaped).join('.+')}$`)
