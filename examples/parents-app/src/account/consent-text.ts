import type { GiveConsentInput } from '@companion/sdk'
import type { Language } from '../i18n/format'

/** A text that asks for consent. */
export type ConsentText = Pick<GiveConsentInput, 'kind' | 'version'>

/** Where the full text is, below `base`: `<base>/health-data/2026-11/en`. Another version is another page. */
export const addressOfText = (base: string, { kind, version }: ConsentText, language: Language): string =>
  [base.replace(/\/+$/, ''), kind, encodeURIComponent(version), language].join('/')
