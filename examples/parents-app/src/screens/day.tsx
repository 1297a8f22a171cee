import { DayNote } from '../calendar/day-note'
import { DayTreatments } from '../calendar/day-treatments'
import { keys } from '../companion/keys'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { Columns } from '../ui/columns'
import { Page } from '../ui/page'

export function DayScreen({ route }: ScreenProps<'Day'>) {
  const { t } = useLanguage()
  const { real_user_id, date } = route.params
  return (
    <Page hasHeader hasColumns {...useRefresh(keys.calendar, keys.records)}>
      <Columns>
        <DayTreatments childId={real_user_id} date={date} />
        <DayNote
          childId={real_user_id}
          date={date}
          title={t.calendar.note}
          invitation={t.calendar.emptyNote}
        />
      </Columns>
    </Page>
  )
}
