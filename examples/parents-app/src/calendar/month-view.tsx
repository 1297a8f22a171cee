import type { CalendarHistory } from '@companion/sdk'
import { Platform, Pressable, StyleSheet, View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { dayOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Words } from '../ui/words'
import { CalendarMark } from './calendar-mark'
import { monthGrid } from './month-grid'
import type { Month } from './month-grid'

interface MonthViewProps {
  month: Month
  /** Undefined if it could not be loaded. */
  history: CalendarHistory | undefined
  /** The dates on which the electrodes lost contact. */
  issues: ReadonlySet<CalendarDate>
  today: CalendarDate
  chosen: CalendarDate
  onChoose: (date: CalendarDate) => void
}

/** The largest text size at which two-digit days stay apart on a small phone. */
const LARGEST = 1.6

/** A week that starts on a Sunday; it gives the names of the days. */
const WEEK = [
  '2026-03-01',
  '2026-03-02',
  '2026-03-03',
  '2026-03-04',
  '2026-03-05',
  '2026-03-06',
  '2026-03-07',
]

/** A month with marks on the days that have a treatment or a note. A day without a mark says nothing about use. */
export function MonthView({ month, history, issues, today, chosen, onChoose }: MonthViewProps) {
  const { t, format } = useLanguage()
  const palette = usePalette()
  const marks = new Map(history?.map((day) => [day.date, day]))
  const describe = (date: CalendarDate) =>
    [
      format.fullDay(date),
      date === today ? t.calendar.today : '',
      history || date > today ? '' : t.calendar.notLoaded,
      marks.get(date)?.is_devlog ? t.calendar.treatment : '',
      issues.has(date) ? t.night.lost : '',
      marks.get(date)?.is_event ? t.calendar.note : '',
    ]
      .filter(Boolean)
      .join(', ')
  return (
    <View style={styles.month}>
      <View style={styles.week} aria-hidden>
        {WEEK.map((date) => (
          <Words key={date} kind="caption" tone="muted" style={styles.name}>
            {format.weekday(date)}
          </Words>
        ))}
      </View>
      {monthGrid(month).map((week) => (
        <View key={week.find(Boolean)} style={styles.week}>
          {week.map((date, column) =>
            date ? (
              <Pressable
                key={date}
                accessibilityRole="button"
                accessibilityLabel={describe(date)}
                {...announced(date === chosen)}
                disabled={date > today}
                onPress={() => onChoose(date)}
                style={[styles.day, date === chosen ? { backgroundColor: palette.soft } : null]}
              >
                <Words
                  kind="label"
                  maxFontSizeMultiplier={LARGEST}
                  tone={date === today ? 'accent' : date > today ? 'muted' : 'ink'}
                  style={[
                    styles.number,
                    date === today ? styles.today : null,
                    date > today ? styles.future : null,
                  ]}
                >
                  {dayOf(date)}
                </Words>
                <View style={styles.marks}>
                  {history || date > today ? null : (
                    <Words kind="caption" tone="muted" maxFontSizeMultiplier={1} style={styles.unknown}>
                      ?
                    </Words>
                  )}
                  {issues.has(date) ? (
                    <CalendarMark kind="issue" />
                  ) : marks.get(date)?.is_devlog ? (
                    <CalendarMark kind="treatment" />
                  ) : null}
                  {marks.get(date)?.is_event ? <CalendarMark kind="note" /> : null}
                </View>
              </Pressable>
            ) : (
              <View key={column} style={styles.day} />
            ),
          )}
        </View>
      ))}
      <View style={styles.legend} aria-hidden>
        {history ? (
          (
            [
              ['treatment', t.calendar.treatment],
              ['issue', t.night.lost],
              ['note', t.calendar.note],
            ] as const
          ).map(([kind, meaning]) => (
            <View key={kind} style={styles.entry}>
              <CalendarMark kind={kind} />
              <Words kind="caption" tone="muted">
                {meaning}
              </Words>
            </View>
          ))
        ) : (
          <Words kind="caption" tone="muted">
            {`? ${t.calendar.notLoaded}`}
          </Words>
        )}
      </View>
    </View>
  )
}

/** Phones announce `selected`; buttons on the web announce `pressed`. */
const announced = (isChosen: boolean) =>
  Platform.OS === 'web' ? { 'aria-pressed': isChosen } : { 'aria-selected': isChosen }

const styles = StyleSheet.create({
  month: { gap: 4 },
  week: { flexDirection: 'row' },
  name: { flex: 1, textAlign: 'center', paddingBottom: 4 },
  day: {
    flex: 1,
    minHeight: 46,
    borderRadius: 12,
    paddingVertical: 4,
    alignItems: 'center',
    justifyContent: 'center',
    gap: 3,
  },
  number: { fontVariant: ['tabular-nums'] },
  today: { fontWeight: '800' },
  future: { opacity: 0.5 },
  marks: { flexDirection: 'row', alignItems: 'center', gap: 4, height: 8 },
  unknown: { fontSize: 12, lineHeight: 12 },
  legend: { flexDirection: 'row', flexWrap: 'wrap', columnGap: 18, rowGap: 4, paddingTop: 8 },
  entry: { flexDirection: 'row', alignItems: 'center', gap: 6 },
})
