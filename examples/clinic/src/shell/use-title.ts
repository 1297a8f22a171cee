import { useEffect } from 'react'
import { useWords } from '../i18n/language'

/** Names the page in the tab of the browser; a child's name never stands there. */
export function useTitle(title: string): void {
  const { t } = useWords()
  useEffect(() => {
    document.title = `${title} – ${t.product}`
  }, [title, t])
}
