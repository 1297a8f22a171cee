import { Link } from '@tanstack/react-router'
import { useWords } from '../i18n/language'
import { useTitle } from './use-title'

/** In place of what the caller may no longer see. */
export function AccessEnded({ of, clinicId }: { of: 'child' | 'clinic' | 'connection'; clinicId?: number }) {
  const { t } = useWords()
  useTitle(t.access.title)
  return (
    <main id="content" className="narrow">
      <div role="alert">
        <h1>{t.access.title}</h1>
        <p>{t.access[of]}</p>
      </div>
      {clinicId === undefined ? (
        <Link className="button" to="/">
          {t.retry}
        </Link>
      ) : (
        <Link className="button" to="/$clinicId" params={{ clinicId }}>
          {t.child.back}
        </Link>
      )}
    </main>
  )
}
