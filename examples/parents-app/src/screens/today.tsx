import { EmailReminder } from '../account/email-reminder'
import { WithChild } from '../account/with-child'
import { DayNote } from '../calendar/day-note'
import { UnsentNotes } from '../calendar/unsent-notes'
import { RecentUse } from '../charts/recent-use'
import { cacheKeys } from '../companion/cache-keys'
import { useAccount, useChildren } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { OfferedUpdates } from '../firmware/offered-updates'
import { useLanguage } from '../i18n/language'
import { LastNight } from '../nights/last-night'
import { WeekCard } from '../nights/week-card'
import { Readiness } from '../nights/readiness'
import { useChosenChild } from '../session/chosen-child'
import { OfferedChild } from '../sharing/offered-child'
import { useToday } from '../time/use-today'
import { Columns } from '../ui/columns'
import { Notice } from '../ui/notice'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function TodayScreen() {
  const { t, format } = useLanguage()
  const account = useAccount()
  const date = useToday()
  const family = useChildren().data
  const { child } = useChosenChild(family)
  return (
    <Page
      hasColumns
      {...useRefresh(
        cacheKeys.children,
        cacheKeys.devices,
        cacheKeys.firmware,
        cacheKeys.charts,
        cacheKeys.calendar,
        cacheKeys.records,
        cacheKeys.nights,
        cacheKeys.shares,
      )}
    >
      <Words kind="label" tone="muted">
        {format.fullDay(date)}
      </Words>
      {account.data?.need_to_pwd_change ? <Notice text={t.settings.needsPassword} /> : null}
      {account.data ? <EmailReminder account={account.data} /> : null}
      {family
        ?.filter(({ role }) => role === 'guardian')
        .map((one) => (
          <OfferedChild key={one.id} child={one} />
        ))}
      <UnsentNotes shown={{ childId: child?.id, date }} />
      <WithChild>
        {(one) => (
          <Columns>
            <>
              <LastNight child={one} date={date} />
              <DayNote
                child={one}
                date={date}
                title={t.today.todaysNote}
                invitation={t.today.noNote}
                isNightShown
              />
            </>
            <>
              <OfferedUpdates child={one} />
              <WeekCard child={one} date={date} />
              <Readiness childId={one.id} date={date} />
              <RecentUse childId={one.id} date={date} />
            </>
          </Columns>
        )}
      </WithChild>
    </Page>
  )
}
