import { useCalendars } from 'expo-localization'
import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { likelyCountry } from './phone'
import type { PhoneNumber } from './phone'

/** A phone number to be confirmed. Its country is first guessed. */
export function usePhoneNumber() {
  const { language } = useLanguage()
  const { timeZone } = useCalendars()[0]
  return useState<PhoneNumber>({ country: likelyCountry(language, timeZone), typed: '', sentTo: undefined })
}
