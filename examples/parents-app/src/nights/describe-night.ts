import type { Texts } from '../i18n/en'
import type { Formats } from '../i18n/format'
import type { Night } from './night'
import { lostContact } from './record'
import { whenUsed } from './when-used'

/** What a screen reader says about the picture of a night. */
export function describeNight({ records }: Night, t: Texts, format: Formats): string {
  const values = records.flatMap(({ intensities }) => intensities)
  const uses = records.map((record) =>
    [...whenUsed(record, t, format), lostContact(record) ? t.night.lost : ''].filter(Boolean).join(', '),
  )
  const range = values.length > 0 ? t.night.intensities(Math.min(...values), Math.max(...values)) : ''
  return [t.night.picture, ...uses, range].filter(Boolean).join('. ')
}
