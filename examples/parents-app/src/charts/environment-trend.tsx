import type { AnalysisChart } from '@companion/sdk'
import { useState } from 'react'
import { StyleSheet, View } from 'react-native'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Choice } from '../ui/choice'
import { Words } from '../ui/words'
import { CloseLineChart } from './line-chart'
import { periodOf } from './period-of'
import { dailyPoints } from './series'
import type { Point } from './series'
import { useChosenDate } from './use-chosen-date'

type Reading = AnalysisChart['sleep_env_data'][number]
type Measure = 'temperature' | 'humidity' | 'brightness' | 'noise'

interface EnvironmentTrendProps {
  readings: readonly Reading[]
  latest: Reading
  days: Days
  date: CalendarDate
}

/** One of the four measures over a window, with its latest value or that of the chosen date. */
export function EnvironmentTrend({ readings, latest, days, date }: EnvironmentTrendProps) {
  const { t, format } = useLanguage()
  const [measure, setMeasure] = useState<Measure>('temperature')
  const unit = { temperature: format.degreeUnit, humidity: '%', brightness: 'lx', noise: 'dB' }[measure]
  const valueOf = (reading: Reading) =>
    measure === 'temperature' ? format.degrees(reading.temperature) : reading[measure]
  const say = (value: number) => `${format.number(value, 1)} ${unit}`
  const points = dailyPoints(
    date,
    days,
    readings.map((reading) => [reading.date, valueOf(reading)]),
  )
  const { point: chosenPoint, chosen, onChoose } = useChosenDate(points)
  const shown = chosenPoint ?? { date: latest.date, value: valueOf(latest) }
  const valueAt = ({ value }: Point) => (value === null ? t.trends.noValue : say(value))
  return (
    <>
      <Choice
        label={t.trends.sleep}
        isLabelShown={false}
        value={measure}
        onChange={setMeasure}
        options={[
          ['temperature', t.trends.temperature],
          ['humidity', t.trends.humidity],
          ['brightness', t.trends.brightness],
          ['noise', t.trends.noise],
        ]}
      />
      <View style={styles.headline}>
        <Words kind="title" role="none" style={styles.figure}>
          {valueAt(shown)}
        </Words>
        <Words kind="label" tone="muted">
          {format.dayAndMonth(shown.date)}
        </Words>
      </View>
      <CloseLineChart
        points={points}
        label={t.trends.latest(t.trends[measure], periodOf(points, format), say(valueOf(latest)))}
        describe={(point) => `${format.dayAndMonth(point.date)}: ${valueAt(point)}`}
        chosen={chosen}
        onChoose={onChoose}
        formatAxis={say}
      />
    </>
  )
}

const styles = StyleSheet.create({
  headline: { flexDirection: 'row', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 10 },
  figure: { fontVariant: ['tabular-nums'] },
})
