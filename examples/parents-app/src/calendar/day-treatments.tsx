import { StyleSheet, View } from 'react-native'
import { useRecords } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { EndOfNight } from '../help/end-of-night'
import { ContactLosses } from '../nights/contact-losses'
import { endOfUse, nightDateOf, nightsOf } from '../nights/night'
import { NightStrip } from '../nights/night-strip'
import { NoRecord } from '../nights/no-record'
import { isCutShort, isRunning } from '../nights/record'
import { MorningAfter } from './morning-after'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Words } from '../ui/words'

/** The treatments of a date, below pictures of the nights to which they belong. */
export function DayTreatments({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  // A night that began on this date may go on after midnight, and one that ends on it began the day before.
  const query = useRecords(childId, addDays(date, -1), addDays(date, 1))
  return (
    <Card title={format.fullDay(date)}>
      <Loaded query={query}>
        {(records) => {
          const ofDate = records.filter(({ start }) => start.startsWith(date))
          const touched = new Set(ofDate.map(nightDateOf))
          const morningAfter = <MorningAfter childId={childId} evening={date} />
          if (ofDate.length === 0)
            return (
              <>
                <NoRecord childId={childId} date={date} />
                {morningAfter}
              </>
            )
          return (
            <>
              {nightsOf(records)
                .filter((night) => touched.has(night.date))
                .map((night) => (
                  <View key={night.date} style={styles.night}>
                    <Words kind="label" tone="muted">
                      {t.night.of(format.night(night.date))}
                    </Words>
                    <NightStrip night={night} />
                    <ContactLosses night={night} />
                    {night.date === date ? morningAfter : null}
                  </View>
                ))}
              {ofDate.map((record) => (
                <View key={record.id} accessible style={styles.treatment}>
                  <View style={styles.when}>
                    <Words style={styles.clock}>
                      {isRunning(record)
                        ? t.night.runningSince(format.clock(record.start), format.duration(record.seconds))
                        : format.clockRange(record.start, endOfUse(record))}
                    </Words>
                    {isCutShort(record) ? (
                      <Words kind="caption" tone="note">
                        {t.night.cutShort}
                      </Words>
                    ) : null}
                    {record.ended && record.ended !== '1' ? (
                      <Words kind="caption" tone={record.ended === '4' ? 'danger' : 'muted'}>
                        {t.night.ended[record.ended]}
                      </Words>
                    ) : null}
                  </View>
                  <View style={styles.figures}>
                    {isRunning(record) ? null : <Words>{format.duration(record.seconds)}</Words>}
                    <Words kind="caption" tone="muted">
                      {`${t.today.intensity} ${format.number(record.lastIntensity, 1)}`}
                    </Words>
                  </View>
                </View>
              ))}
              <EndOfNight records={ofDate} />
              {touched.has(date) ? null : morningAfter}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const styles = StyleSheet.create({
  night: { gap: 8 },
  treatment: { flexDirection: 'row', flexWrap: 'wrap', justifyContent: 'space-between', columnGap: 14 },
  when: { flexShrink: 1 },
  clock: { fontVariant: ['tabular-nums'], fontWeight: '600' },
  // On a line of their own, too, they stand on the right.
  figures: { alignItems: 'flex-end', marginLeft: 'auto' },
})
