import { useRecentChart } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Answered } from '../ui/answered'
import { Card } from '../ui/card'
import { Figure } from '../ui/figure'
import { Figures } from '../ui/figures'
import { Words } from '../ui/words'
import { NoNights } from './no-nights'
import { UsageCard, usageOf } from './usage-card'

/** The latest night of the last seven days, and the seven days at a glance. */
export function LastUse({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const chart = useRecentChart(childId, 7, date)
  return (
    <Answered query={chart}>
      {(data) => {
        const last = data.treatment_time_data.at(-1)
        if (!last) return <NoNights childId={childId} />
        const intensity = data.treatment_intensity_data.at(-1)?.last_intensity ?? 0
        const movement = data.movement_data.at(-1)?.movement ?? 0
        return (
          <>
            <Card title={t.today.lastNight} aside={format.dayAndMonth(last.treatment_date.slice(0, 10))}>
              <Words kind="display" style={{ fontVariant: ['tabular-nums'] }}>
                {format.duration(last.treatment_time)}
              </Words>
              <Figures>
                <Figure label={t.today.intensity} value={format.number(intensity, 1)} />
                <Figure label={t.today.movement} value={format.number(movement)} />
                <Figure label={t.today.week} value={t.today.nights(data.treatment_time_data.length)} />
              </Figures>
            </Card>
            <UsageCard
              key={childId}
              title={t.trends.usage}
              points={usageOf(data, date, 7)}
              average={data.avg_treatment_time}
            />
          </>
        )
      }}
    </Answered>
  )
}
