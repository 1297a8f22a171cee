import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { companion } from '../companion/client'
import { insight } from '../companion/queries'
import { queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { Problem } from '../shell/states'
import { firstDayOfReport } from './report-period'

const MONTHS = 3

/** One click makes the report of three months and opens it; where a browser opens no window by itself, a link does. */
export function ReportButton({ childId: real_user_id }: { childId: number }) {
  const { t, language } = useWords()
  const [url, setUrl] = useState<string>()
  useEffect(
    () => () => {
      if (url !== undefined) URL.revokeObjectURL(url)
    },
    [url],
  )
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (tab: Window | null) => {
      try {
        const { current_date: today } = await queryClient.fetchQuery(insight(real_user_id))
        const { bytes, type } = await companion.reports.exportPdf({
          real_user_id,
          current_date: firstDayOfReport(today, MONTHS),
          select_mode: 2,
          language: language === 'ko' ? 'KR' : 'EN',
        })
        const made = URL.createObjectURL(new Blob([bytes], { type }))
        if (tab) tab.location.href = made
        setUrl(made)
      } catch (failure) {
        tab?.close()
        throw failure
      }
    },
  })
  return (
    <>
      <button
        type="button"
        className="main"
        disabled={isPending}
        // Browsers open a window at a click only, and not when the report has arrived.
        onClick={() => mutate(open('', '_blank'))}
      >
        {isPending ? t.child.reportMaking : t.child.report}
      </button>
      {url !== undefined && (
        <a className="button" href={url} target="_blank" rel="noreferrer">
          {t.child.reportReady}
        </a>
      )}
      {error && <Problem error={error} />}
    </>
  )
}
