import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import { WithChild } from '../account/with-child'
import { DayNote } from '../calendar/day-note'
import { DayTreatments } from '../calendar/day-treatments'
import { moveMonth } from '../calendar/month-grid'
import { MonthOf } from '../calendar/month-of'
import { keys } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { monthOf, today, yearOf } from '../time/dates'
import { Card } from '../ui/card'
import { IconButton } from '../ui/icon-button'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

export function CalendarScreen() {
  const { t, format } = useLanguage()
  const now = today()
  const [month, setMonth] = useState({ year: yearOf(now), month: monthOf(now) })
  const [chosen, choose] = useState(now)
  return (
    <Page {...useRefresh(keys.calendar)}>
      <WithChild>
        {({ id }) => (
          <>
            <Card>
              <View style={styles.head}>
                <IconButton
                  icon="back"
                  label={t.calendar.previous}
                  onPress={() => setMonth(moveMonth(month, -1))}
                />
                <Words kind="heading" accessibilityLiveRegion="polite">
                  {format.month(month.year, month.month)}
                </Words>
                <IconButton
                  icon="forward"
                  label={t.calendar.next}
                  onPress={() => setMonth(moveMonth(month, 1))}
                />
              </View>
              <MonthOf childId={id} month={month} today={now} chosen={chosen} onChoose={choose} />
            </Card>
            <DayTreatments childId={id} date={chosen} />
            <DayNote childId={id} date={chosen} title={t.calendar.note} invitation={t.calendar.emptyNote} />
          </>
        )}
      </WithChild>
    </Page>
  )
}

const styles = StyleSheet.create({
  head: { flexDirection: 'row', alignItems: 'center', justifyContent: 'space-between' },
})
