import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import type { PhoneNumber } from './phone'

/** A phone number to be confirmed. Its country is first guessed from the app's language. */
export function usePhoneNumber() {
  const { language } = useLanguage()
  return useState<PhoneNumber>({ country: language === 'ko' ? 'KR' : 'US', typed: '', sentTo: undefined })
}
