import { useCallback } from 'react'
import { StyleSheet, Text, View } from 'react-native'
import { companion, describe } from './companion'
import { Button, Card, colours, Notice, styles } from './controls'
import { useResponse } from './use-response'

/** How long the device was used on each of the seven days that end with `date`. */
export function UsageChart({ childId, date }: { childId: number; date: string }) {
  const { response, error, askAgain } = useResponse(
    useCallback(
      (options) => companion.charts.recent({ real_user_id: childId, current_date: date }, options),
      [childId, date],
    ),
  )
  const nights = response?.treatment_time_data ?? []
  const longest = Math.max(...nights.map(({ treatment_time }) => treatment_time))
  // The service leaves out days without data. In UTC, every day has 24 hours.
  const days = [6, 5, 4, 3, 2, 1, 0].map((back) => new Date(Date.parse(date) - back * 86_400_000))
  return (
    <Card title="Use in the last 7 days">
      <Notice text={error && describe(error)} />
      {error ? <Button label="Load the chart again" isQuiet onPress={askAgain} /> : null}
      {response ? (
        <Text style={styles.muted}>
          {nights.length > 0
            ? `${minutes(response.avg_treatment_time)} on average, ${nights.length} nights`
            : 'Nights appear here once the device has uploaded them.'}
        </Text>
      ) : null}
      <View style={chart.days}>
        {days.map((day) => {
          const iso = day.toISOString().slice(0, 10)
          const seconds = nights.find(({ treatment_date }) => treatment_date === iso)?.treatment_time ?? 0
          const name = day.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' })
          return (
            <View key={iso} style={chart.day} accessible accessibilityLabel={`${name}: ${minutes(seconds)}`}>
              <View style={[chart.bar, { height: seconds && (seconds / longest) * 120 }]} />
              <Text style={styles.muted}>{name}</Text>
            </View>
          )
        })}
      </View>
    </Card>
  )
}

const minutes = (seconds: number) => `${Math.floor(seconds / 60)} min`

const chart = StyleSheet.create({
  days: { flexDirection: 'row', alignItems: 'flex-end' },
  day: { flex: 1, alignItems: 'center', gap: 6 },
  bar: { width: 24, borderRadius: 6, backgroundColor: colours.accent },
})
