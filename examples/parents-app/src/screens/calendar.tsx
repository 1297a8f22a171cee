import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import { WithChild } from '../account/with-child'
import { DayNote } from '../calendar/day-note'
import { DayTreatments } from '../calendar/day-treatments'
import { moveMonth } from '../calendar/month-grid'
import { MonthOf } from '../calendar/month-of'
import { cacheKeys } from '../companion/cache-keys'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import { monthOf, yearOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { useToday } from '../time/use-today'
import { Card } from '../ui/card'
import { Columns } from '../ui/columns'
import { IconButton } from '../ui/icon-button'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** The largest text size at which the name of a month stays in one piece between its arrows. */
const LARGEST = 1.4

export function CalendarScreen() {
  const { t, format } = useLanguage()
  const now = useToday()
  // The month is counted from the current one, and today is not stored as a chosen day, so both follow the date.
  const [turned, turn] = useState(0)
  const [otherDay, choose] = useState<CalendarDate>()
  const month = moveMonth({ year: yearOf(now), month: monthOf(now) }, turned)
  const chosen = otherDay ?? now
  return (
    <Page hasColumns {...useRefresh(cacheKeys.calendar, cacheKeys.records)}>
      <WithChild>
        {(child) => (
          <Columns>
            <Card>
              <View style={styles.head}>
                <IconButton icon="back" label={t.calendar.previous} onPress={() => turn(turned - 1)} />
                <Words
                  kind="heading"
                  maxFontSizeMultiplier={LARGEST}
                  style={styles.month}
                  accessibilityLiveRegion="polite"
                >
                  {format.month(month.year, month.month)}
                </Words>
                <IconButton icon="forward" label={t.calendar.next} onPress={() => turn(turned + 1)} />
              </View>
              <MonthOf
                childId={child.id}
                month={month}
                today={now}
                chosen={chosen}
                onChoose={(date) => choose(date === now ? undefined : date)}
              />
            </Card>
            <>
              <DayTreatments childId={child.id} date={chosen} />
              <DayNote
                child={child}
                date={chosen}
                title={t.calendar.note}
                invitation={t.calendar.emptyNote}
              />
            </>
          </Columns>
        )}
      </WithChild>
    </Page>
  )
}

const styles = StyleSheet.create({
  head: { flexDirection: 'row', alignItems: 'center', justifyContent: 'space-between' },
  month: { flex: 1, textAlign: 'center' },
})
