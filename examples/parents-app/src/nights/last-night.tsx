import type { ListedChild } from '@companion/sdk'
import { StyleSheet, View } from 'react-native'
import { LATEST_DAYS, useLatestRecords } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Figure } from '../ui/figure'
import { Figures } from '../ui/figures'
import { Words } from '../ui/words'
import { ContactLosses } from './contact-losses'
import { nightsOf, secondsOf, spanOf } from './night'
import type { Night } from './night'
import { NightStrip } from './night-strip'
import { NoNights } from './no-nights'
import { isCutShort, isRunning } from './record'
import { judge, streak } from './usual'

/** The latest night: how long, compared with what is usual, and its picture. */
export function LastNight({ child, date }: { child: ListedChild; date: CalendarDate }) {
  const query = useLatestRecords(child.id, date)
  return (
    <Loaded query={query}>
      {(records) => {
        // Of the night before the first date, only the part after midnight is known.
        const first = addDays(date, 1 - LATEST_DAYS)
        const nights = nightsOf(records).filter((night) => night.date >= first)
        const night = nights.at(-1)
        return night ? <NightCard night={night} nights={nights} date={date} /> : <NoNights child={child} />
      }}
    </Loaded>
  )
}

interface NightCardProps {
  night: Night
  nights: readonly Night[]
  date: CalendarDate
}

function NightCard({ night, nights, date }: NightCardProps) {
  const { t, format } = useLanguage()
  const judgement = judge(night, nights)
  const isLate = night.date < addDays(date, -1)
  const row = streak(nights, night.date)
  const { start, end } = spanOf(night)
  const title = isLate
    ? t.night.of(format.night(night.date))
    : night.date === date
      ? t.today.tonight
      : t.today.lastNight
  const sentence =
    judgement &&
    (judgement.kind === 'usual'
      ? t.today.asUsual
      : t.today[judgement.kind](format.duration(judgement.difference)))
  const last = night.records.at(-1)
  const running = night.records.find((record) => isRunning(record))
  return (
    <Card title={title} aside={isLate ? undefined : format.night(night.date)}>
      {isLate ? <Words tone="muted">{t.today.notYet}</Words> : null}
      <View>
        <Words kind="display" style={styles.figure}>
          {format.duration(secondsOf(night))}
        </Words>
        {sentence ? (
          <Words kind="heading" role="none" tone={judgement.kind === 'less' ? 'note' : 'accent'}>
            {sentence}
          </Words>
        ) : null}
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
      </View>
      <ContactLosses night={night} />
      <NightStrip night={night} />
      <Figures>
        <Figure label={t.today.intensity} value={format.number(last?.lastIntensity ?? 0, 1)} />
        <Figure
          label={t.today.movement}
          value={format.number(night.records.reduce((sum, { movement }) => sum + movement, 0))}
        />
        {isLate ? null : (
          <Figure
            label={t.today.streak}
            value={t.today.streakOf(row, row === nights.length && row >= LATEST_DAYS - 1)}
          />
        )}
      </Figures>
      {judgement ? (
        <Words kind="caption" tone="muted">
          {t.today.usual(format.duration(judgement.usual), judgement.count)}
        </Words>
      ) : null}
    </Card>
  )
}

const styles = StyleSheet.create({ figure: { fontVariant: ['tabular-nums'] } })
