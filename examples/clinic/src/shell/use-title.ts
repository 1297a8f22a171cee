import { useEffect } from 'react'
import { useWords } from '../i18n/language'

/** Names the page in the tab of the browser, or only the application; a child's name never stands there. */
export function useTitle(title?: string): void {
  const { t } = useWords()
  useEffect(() => {
    const before = document.title
    document.title = title === undefined ? t.product : `${title} – ${t.product}`
    // What stands in place of a page for a while leaves it its title.
    return () => {
      document.title = before
    }
  }, [title, t])
}
