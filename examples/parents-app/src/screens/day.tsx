import { DayNote } from '../calendar/day-note'
import { DayTreatments } from '../calendar/day-treatments'
import { cacheKeys } from '../companion/cache-keys'
import { useChildren } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Columns } from '../ui/columns'
import { Page } from '../ui/page'

export function DayScreen({ route }: ScreenProps<'Day'>) {
  const { t } = useLanguage()
  const { real_user_id, date } = route.params
  const child = useChildren().data?.find(({ id }) => id === real_user_id)
  return (
    <Page hasHeader hasColumns {...useRefresh(cacheKeys.calendar, cacheKeys.records)}>
      <Columns>
        <DayTreatments childId={real_user_id} date={date} />
        {child ? (
          <DayNote child={child} date={date} title={t.calendar.note} invitation={t.calendar.emptyNote} />
        ) : null}
      </Columns>
    </Page>
  )
}
