import type { ReactNode } from 'react'
import { describeFailure } from '../i18n/describe-failure'
import { useWords } from '../i18n/language'
import { useTitle } from './use-title'

export function Loading() {
  const { t } = useWords()
  return (
    <main id="content" className="narrow" aria-busy="true">
      <p role="status">{t.loading}</p>
    </main>
  )
}

interface ProblemProps {
  error: unknown
  /** Whom it is about, where that is not plain from the place. */
  about?: string
  /** What was read before is still shown. */
  isOld?: boolean
  onRetry?: () => void
}

/** A part of a page that could not be read. */
export function Problem({ error, about, isOld = false, onRetry }: ProblemProps) {
  const { t } = useWords()
  return (
    <div className="problem" role="alert">
      <p>
        {about !== undefined && `${about}: `}
        {describeFailure(error, t)} {isOld && t.old}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  )
}

/** The same of a whole page. */
export function Failure(props: ProblemProps) {
  const { t } = useWords()
  useTitle()
  return (
    <main id="content" className="narrow">
      <h1>{t.product}</h1>
      <Problem {...props} />
    </main>
  )
}

/** A part of a page: what was read, and what keeps it from being read, or from being read again. */
export function Part<Data>({
  query: { data, error, refetch },
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}) {
  const { t } = useWords()
  const isRead = data !== undefined
  return (
    <>
      {error ? <Problem error={error} isOld={isRead} onRetry={() => void refetch()} /> : null}
      {isRead ? children(data) : !error && <p role="status">{t.loading}</p>}
    </>
  )
}
