import { en } from './en.ts'
import { kr } from './kr.ts'

/** The languages of reports, by the code that the contract gives them. */
export const languages = { KR: kr, EN: en }

export type LanguageCode = keyof typeof languages

export const languageCodes = ['KR', 'EN'] as const satisfies readonly LanguageCode[]
