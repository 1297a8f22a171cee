import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../i18n/language'
import { ShortcutsDialog } from './shortcuts-dialog'
import { applyTheme, keptTheme, themes } from './theme'
import type { Theme } from './theme'

function ThemeChoice() {
  const { t } = useWords()
  const [theme, setTheme] = useState<Theme>(keptTheme)
  return (
    <label className="choice">
      <span>{t.nav.theme}</span>
      <select
        value={theme}
        onChange={({ target }) => {
          const chosen = themes.find((each) => each === target.value) ?? 'system'
          applyTheme(chosen)
          setTheme(chosen)
        }}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {t.nav.themes[each]}
          </option>
        ))}
      </select>
    </label>
  )
}

function LanguageChoice() {
  const { t, language, choose } = useWords()
  return (
    <label className="choice">
      <span>{t.nav.language}</span>
      <select value={language} onChange={({ target }) => choose(target.value === 'ko' ? 'ko' : 'en')}>
        <option value="en" lang="en">
          English
        </option>
        <option value="ko" lang="ko">
          한국어
        </option>
      </select>
    </label>
  )
}

/** What all pages have around them. */
export function Layout() {
  const { t } = useWords()
  return (
    <>
      <a className="skip" href="#content">
        {t.toContent}
      </a>
      <Outlet />
      <footer className="no-print">
        <span>{t.product}</span>
        <LanguageChoice />
        <ThemeChoice />
        <ShortcutsDialog />
      </footer>
    </>
  )
}
