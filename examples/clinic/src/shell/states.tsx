import type { ReactNode } from 'react'
import { describeFailure } from '../i18n/describe-failure'
import { useWords } from '../i18n/language'

export function Loading() {
  const { t } = useWords()
  return (
    <main id="content" className="narrow" aria-busy="true">
      <p role="status">{t.loading}</p>
    </main>
  )
}

/** A part of a page that could not be read. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useWords()
  return (
    <div className="problem" role="alert">
      <p>{describeFailure(error, t)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  )
}

/** The same of a whole page. */
export function Failure(props: { error: unknown; onRetry?: () => void }) {
  const { t } = useWords()
  return (
    <main id="content" className="narrow">
      <h1>{t.product}</h1>
      <Problem {...props} />
    </main>
  )
}

/** A part of a page: what was read, or what keeps it from being read. */
export function Part<Data>({
  query: { data, error, refetch },
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}) {
  const { t } = useWords()
  if (data !== undefined) return children(data)
  return error ? <Problem error={error} onRetry={() => void refetch()} /> : <p role="status">{t.loading}</p>
}
