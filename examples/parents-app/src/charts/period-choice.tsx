import { StyleSheet, View } from 'react-native'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { addDays, yearOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Choice } from '../ui/choice'
import { IconButton } from '../ui/icon-button'
import { Words } from '../ui/words'

/** The period of the charts: its length, and how many such periods it ends before today. */
export interface Period {
  days: Days
  back: number
}

export const lastDateOf = ({ days, back }: Period, today: CalendarDate): CalendarDate =>
  addDays(today, -days * back)

interface PeriodChoiceProps {
  period: Period
  today: CalendarDate
  onChange: (period: Period) => void
}

/** Chooses a week, a month or a quarter, and turns back in time. */
export function PeriodChoice({ period, today, onChange }: PeriodChoiceProps) {
  const { t, format } = useLanguage()
  const { days, back } = period
  const last = lastDateOf(period, today)
  const dates = format.period(addDays(last, 1 - days), last)
  return (
    <View style={styles.choice}>
      <Choice
        label={t.report.period}
        isLabelShown={false}
        value={days}
        onChange={(chosen) => onChange({ days: chosen, back: 0 })}
        options={[
          [7, t.trends.week],
          [30, t.trends.month],
          [90, t.trends.quarter],
        ]}
      />
      <View style={styles.turn}>
        <IconButton icon="back" label={t.trends.earlier} onPress={() => onChange({ days, back: back + 1 })} />
        <Words kind="label" style={styles.dates} accessibilityLiveRegion="polite">
          {yearOf(last) === yearOf(today) ? dates : `${dates}, ${yearOf(last)}`}
        </Words>
        <IconButton
          icon="forward"
          label={t.trends.later}
          isDisabled={back === 0}
          onPress={() => onChange({ days, back: back - 1 })}
        />
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  choice: { gap: 8 },
  turn: { flexDirection: 'row', alignItems: 'center' },
  dates: { flex: 1, textAlign: 'center' },
})
