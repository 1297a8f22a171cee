import type { Language } from '../../delivery/messages.ts'
import { en } from './en.ts'
import { kr } from './kr.ts'
import type { Words } from './words.ts'

/** The languages of reports, by the code that the contract gives them. */
export const languages = { KR: kr, EN: en }

export type LanguageCode = keyof typeof languages

/** The languages of reports, by the language of a page or a mail. */
export const wordsFor: Record<Language, Words> = { ko: kr, en }

export const languageCodes = ['KR', 'EN'] as const satisfies readonly LanguageCode[]
