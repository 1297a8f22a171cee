import { getLocales, useCalendars, useLocales } from 'expo-localization'
import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Platform } from 'react-native'
import { appStorage } from '../companion/app-storage'
import { en } from './en'
import type { Texts } from './en'
import { formats } from './format'
import type { Formats, Language } from './format'
import { ko } from './ko'

/** `system` follows the device. */
export type LanguageSetting = Language | 'system'

interface Speech {
  language: Language
  choice: LanguageSetting
  choose: (choice: LanguageSetting) => void
  t: Texts
  format: Formats
}

const KEY = 'companion-language'
const deviceLanguage = (): Language => (getLocales()[0]?.languageCode === 'ko' ? 'ko' : 'en')
/** Whether the browser writes times with a.m. and p.m. */
const tellsHalfDays = () => new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hour12

const Speaking = createContext<Speech | null>(null)

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [choice, setChoice] = useState<LanguageSetting>('system')
  useEffect(() => {
    Promise.resolve(appStorage.getItem(KEY)).then(
      (kept) => (kept === 'en' || kept === 'ko') && setChoice(kept),
      () => undefined,
    )
  }, [])
  const isFahrenheit = useLocales()[0].temperatureUnit === 'fahrenheit'
  const is24Hour = useCalendars()[0].uses24hourClock ?? !tellsHalfDays()
  const speech = useMemo(() => {
    const language = choice === 'system' ? deviceLanguage() : choice
    return {
      language,
      choice,
      choose: (next: LanguageSetting) => {
        setChoice(next)
        // If the choice cannot be stored, it lasts until the app is closed.
        Promise.resolve(appStorage.setItem(KEY, next)).catch(() => undefined)
      },
      t: language === 'ko' ? ko : en,
      format: formats(language, { isFahrenheit, is24Hour }),
    }
  }, [choice, isFahrenheit, is24Hour])
  const { language } = speech
  useEffect(() => {
    if (Platform.OS === 'web') document.documentElement.lang = language
  }, [language])
  return <Speaking value={speech}>{children}</Speaking>
}

export function useLanguage(): Speech {
  const speech = use(Speaking)
  if (!speech) throw new Error('LanguageProvider is missing')
  return speech
}
