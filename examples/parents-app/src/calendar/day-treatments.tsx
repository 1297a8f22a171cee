import { StyleSheet, View } from 'react-native'
import { useDay } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Answered } from '../ui/answered'
import { Card } from '../ui/card'
import { Words } from '../ui/words'

/** The treatments of a day. */
export function DayTreatments({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const query = useDay(childId, date)
  return (
    <Card title={format.fullDay(date)}>
      <Answered query={query}>
        {({ treatment_data: treatments }) =>
          treatments.length === 0 ? (
            <Words tone="muted">{t.calendar.noTreatments}</Words>
          ) : (
            treatments.map(({ treatment_date, treatment_time, last_intensity, is_temp }) => (
              <View key={treatment_date} accessible style={styles.treatment}>
                <Words style={styles.clock}>{format.clock(treatment_date)}</Words>
                <Words style={styles.duration}>{format.duration(treatment_time)}</Words>
                <Words kind="label" tone="muted">
                  {is_temp
                    ? t.calendar.running
                    : last_intensity === undefined || last_intensity === null
                      ? ''
                      : `${t.today.intensity} ${format.number(last_intensity, 1)}`}
                </Words>
              </View>
            ))
          )
        }
      </Answered>
    </Card>
  )
}

const styles = StyleSheet.create({
  treatment: { flexDirection: 'row', alignItems: 'baseline', gap: 14 },
  clock: { fontVariant: ['tabular-nums'], fontWeight: '600' },
  duration: { flex: 1 },
})
