import type { ListedChild } from '@companion/sdk'
import { StyleSheet, View } from 'react-native'
import { LATEST_DAYS, useInsight, useLatestRecords } from '../companion/queries'
import { EndOfNight } from '../help/end-of-night'
import { InfoButton } from '../help/info-button'
import { useLanguage } from '../i18n/language'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Figure } from '../ui/figure'
import { Figures } from '../ui/figures'
import { Words } from '../ui/words'
import { ContactLosses } from './contact-losses'
import { compareNightLength, silentNights } from './insight'
import type { NightsInsight } from './insight'
import { MissingNight } from './missing-night'
import { isUnfinished, nightsOf, usageSecondsOf, spanOf } from './night'
import type { Night } from './night'
import { NightStrip } from './night-strip'
import { NoNights } from './no-nights'
import { isCutShort, isRunning } from './record'

/** Last night: how long, compared with what is usual, and its picture; or that it has no record, and the last one that has. */
export function LastNight({ child, date }: { child: ListedChild; date: CalendarDate }) {
  const query = useLatestRecords(child.id, date)
  const { data } = useInsight(child.id, date)
  // A response of an earlier day says nothing about last night.
  const insight = data?.current_date === date ? data : undefined
  return (
    <Loaded query={query}>
      {(records) => {
        // Of the night before the first date, only the part after midnight is known.
        const first = addDays(date, 1 - LATEST_DAYS)
        const newest = nightsOf(records).at(-1)
        const night = newest && newest.date >= first ? newest : undefined
        if (night && night.date >= addDays(date, -1))
          return <NightCard night={night} date={date} insight={insight} />
        const missing = (
          <MissingNight
            date={date}
            missing={insight?.missing ?? undefined}
            isPaused={insight?.week.planned === 0}
            silent={silentNights(night?.date, date, LATEST_DAYS)}
          />
        )
        return night ? (
          <>
            {missing}
            <EarlierNight night={night} />
          </>
        ) : (
          <>
            {insight?.missing ? missing : null}
            <NoNights child={child} />
          </>
        )
      }}
    </Loaded>
  )
}

interface NightCardProps {
  night: Night
  date: CalendarDate
  insight: NightsInsight | undefined
}

function NightCard({ night, date, insight }: NightCardProps) {
  const { t, format } = useLanguage()
  const known = insight?.last_night?.date === night.date ? insight : undefined
  const seconds = known?.last_night ? 60 * known.last_night.minutes : usageSecondsOf(night)
  const usual = known?.usual_minutes ?? undefined
  // Of a night that goes on, or whose last log has not arrived, the length is not known yet.
  const comparison =
    known?.last_night && usual !== undefined && !isUnfinished(night)
      ? compareNightLength(known.last_night.minutes, usual)
      : undefined
  const sentence =
    comparison &&
    (comparison.kind === 'usual'
      ? t.today.asUsual
      : t.today[comparison.kind](format.duration(60 * comparison.difference)))
  return (
    <Card title={night.date === date ? t.today.tonight : t.today.lastNight} aside={format.night(night.date)}>
      <View>
        <Words kind="display" style={styles.figure}>
          {format.duration(seconds)}
        </Words>
        {sentence ? (
          <Words kind="heading" role="none" tone={comparison.kind === 'less' ? 'note' : 'accent'}>
            {sentence}
          </Words>
        ) : null}
        <WhenUsed night={night} />
      </View>
      <ContactLosses night={night} />
      <NightStrip night={night} />
      <EndOfNight records={night.records} />
      <NightFigures night={night} />
      {comparison && usual !== undefined ? (
        <Words kind="caption" tone="muted">
          {t.today.usual(format.duration(60 * usual))}
        </Words>
      ) : null}
    </Card>
  )
}

/** The last night that has a record, less loud than last night, which has none. */
function EarlierNight({ night }: { night: Night }) {
  const { t, format } = useLanguage()
  return (
    <Card title={t.today.lastRecorded} aside={format.night(night.date)}>
      <View>
        <Words kind="heading" role="none" style={styles.figure}>
          {format.duration(usageSecondsOf(night))}
        </Words>
        <WhenUsed night={night} />
      </View>
      <ContactLosses night={night} />
      <NightStrip night={night} />
      <EndOfNight records={night.records} />
    </Card>
  )
}

function WhenUsed({ night }: { night: Night }) {
  const { t, format } = useLanguage()
  const { start, end } = spanOf(night)
  const running = night.records.find((record) => isRunning(record))
  return (
    <>
      <Words kind="label" tone="muted" style={styles.figure}>
        {running
          ? t.night.runningSince(format.clock(running.start), format.duration(running.seconds))
          : format.clockRange(start, end)}
      </Words>
      {night.records.some((record) => isCutShort(record)) ? (
        <Words kind="label" tone="note">
          {t.night.cutShort}
        </Words>
      ) : null}
    </>
  )
}

function NightFigures({ night: { records } }: { night: Night }) {
  const { t, format } = useLanguage()
  return (
    <Figures>
      <Figure
        label={t.today.intensity}
        value={format.number(records.at(-1)?.lastIntensity ?? 0, 1)}
        action={<InfoButton topic="intensity" of={t.today.intensity} />}
      />
      <Figure
        label={t.today.movement}
        value={format.number(records.reduce((sum, { movement }) => sum + movement, 0))}
        action={<InfoButton topic="movement" of={t.today.movement} />}
      />
    </Figures>
  )
}

const styles = StyleSheet.create({ figure: { fontVariant: ['tabular-nums'] } })
