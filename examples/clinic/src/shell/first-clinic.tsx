import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { memberships } from '../companion/queries'
import { useWords } from '../i18n/language'
import { useTitle } from './use-title'

/** Opens the clinic where the caller has worked longest. */
export function FirstClinic() {
  const { t } = useWords()
  const { data = [] } = useQuery(memberships)
  const [first] = data
  useTitle(t.noClinic.title)
  if (first) return <Navigate to="/$clinicId" params={{ clinicId: first.clinic_id }} replace />
  return (
    <main id="content" className="narrow">
      <h1>{t.noClinic.title}</h1>
      <p>{t.noClinic.text}</p>
    </main>
  )
}
