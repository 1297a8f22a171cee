import { useMutation } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { insight } from '../companion/queries'
import { queryClient } from '../companion/query-client'
import { sessionEnd } from '../companion/session-end'
import { useWords } from '../i18n/language'
import { Problem } from '../shell/states'
import { addDays } from '../time/dates'
import { firstDayOfReport } from './report-period'

const MONTHS = 3

/** A tab that is closed with the session. Browsers open one at a click only, and not when a report has arrived. */
function openTab(address = ''): Window | null {
  const tab = open(address, '_blank')
  const close = () => tab?.close()
  sessionEnd().addEventListener('abort', close)
  // The address of the report goes with this page, and the next one would not know of the tab.
  addEventListener('pagehide', close)
  return tab
}

/** The address of a file, for as long as the session lasts: its tab may be read and saved after the child was left. */
function addressOf(file: Blob): string {
  const address = URL.createObjectURL(file)
  sessionEnd().addEventListener('abort', () => URL.revokeObjectURL(address))
  return address
}

/** One click makes the report of three months and opens it; where a browser opens no window by itself, another does. */
export function ReportButton({ childId: real_user_id, name }: { childId: number; name: string }) {
  const { t, language } = useWords()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async (tab: Window | null) => {
      const signal = sessionEnd()
      try {
        const { current_date: today } = await queryClient.fetchQuery(insight(real_user_id))
        const first = firstDayOfReport(today, MONTHS)
        const { bytes, type } = await companion.reports.exportPdf(
          {
            real_user_id,
            current_date: first,
            select_mode: 2,
            language: language === 'ko' ? 'KR' : 'EN',
          },
          { signal },
        )
        signal.throwIfAborted()
        const address = addressOf(new Blob([bytes], { type }))
        if (tab) tab.location.href = address
        return { address, fileName: `${name} ${first} – ${addDays(today, -1)}.pdf` }
      } catch (failure) {
        tab?.close()
        throw failure
      }
    },
  })
  return (
    <>
      <button type="button" className="main" disabled={isPending} onClick={() => mutate(openTab())}>
        {isPending ? t.child.reportMaking : t.child.report}
      </button>
      {data && (
        <>
          <button type="button" onClick={() => openTab(data.address)}>
            {t.child.reportReady}
          </button>
          <a className="button" href={data.address} download={data.fileName}>
            {t.child.reportSave}
          </a>
        </>
      )}
      {error && <Problem error={error} />}
    </>
  )
}
