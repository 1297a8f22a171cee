import { WithChild } from '../account/with-child'
import { DayNote } from '../calendar/day-note'
import { LastUse } from '../charts/last-use'
import { keys, useAccount } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function TodayScreen() {
  const { t, format } = useLanguage()
  const account = useAccount()
  const date = today()
  return (
    <Page {...useRefresh(keys.children, keys.charts, keys.calendar)}>
      <Words kind="label" tone="muted">
        {format.fullDay(date)}
      </Words>
      {account.data?.need_to_pwd_change ? <Notice text={t.settings.needsPassword} /> : null}
      <WithChild>
        {({ id }) => (
          <>
            <LastUse childId={id} date={date} />
            <DayNote childId={id} date={date} title={t.today.todaysNote} invitation={t.today.noNote} />
          </>
        )}
      </WithChild>
    </Page>
  )
}
