import { Link } from '@tanstack/react-router'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useWords } from '../i18n/language'
import { Problem } from './states'
import { useTitle } from './use-title'

/** In place of a page that failed while it was drawn. */
export function PageBroken({ error }: ErrorComponentProps) {
  const { t } = useWords()
  useTitle()
  return (
    <main id="content" className="narrow">
      <h1>{t.product}</h1>
      <Problem error={error} onRetry={() => location.reload()} />
      <ToList />
    </main>
  )
}

/** In place of a page that does not exist. */
export function PageNotFound() {
  const { t } = useWords()
  useTitle(t.notFound.title)
  return (
    <main id="content" className="narrow">
      <h1>{t.notFound.title}</h1>
      <p>{t.notFound.text}</p>
      <ToList />
    </main>
  )
}

function ToList() {
  const { t } = useWords()
  return (
    <Link className="button" to="/">
      {t.child.back}
    </Link>
  )
}
