import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { en } from './en'
import type { Texts } from './en'
import { formats } from './format'
import type { Language } from './format'
import { ko } from './ko'

const KEY = 'clinic.language'
const texts: Record<Language, Texts> = { en, ko }

interface Words {
  language: Language
  t: Texts
  format: ReturnType<typeof formats>
  choose: (language: Language) => void
}

const Context = createContext<Words | undefined>(undefined)

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEY)
  if (kept === 'en' || kept === 'ko') return kept
  return navigator.languages.find((each) => /^(en|ko)\b/.test(each))?.startsWith('ko') ? 'ko' : 'en'
}

/** The language that was chosen here, or else the first of the browser's that there is. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  const words = useMemo(
    () => ({
      language,
      t: texts[language],
      format: formats(language),
      choose: (chosen: Language) => {
        localStorage.setItem(KEY, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return <Context value={words}>{children}</Context>
}

/** The texts and formats of the chosen language. */
export function useWords(): Words {
  const words = use(Context)
  if (!words) throw new Error('There is no LanguageProvider')
  return words
}
