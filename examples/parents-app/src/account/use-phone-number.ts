import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import type { PhoneNumber } from './phone'

/** A number to be confirmed, of the country that is likely. */
export function usePhoneNumber() {
  const { language } = useLanguage()
  return useState<PhoneNumber>({ country: language === 'ko' ? 'KR' : 'US', typed: '', sentTo: undefined })
}
