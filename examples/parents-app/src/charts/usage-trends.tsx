import { useRecentChart } from '../companion/queries'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { BarChart } from './bar-chart'
import { LineChart } from './line-chart'
import { series } from './series'
import { TrendCard } from './trend-card'
import { UsageCard, usageOf } from './usage-card'

interface UsageTrendsProps {
  childId: number
  days: Days
  date: CalendarDate
}

/** Charts of use, intensity and movement in a window. */
export function UsageTrends({ childId, days, date }: UsageTrendsProps) {
  const { t, format } = useLanguage()
  const chart = useRecentChart(childId, days, date)
  const plain = (value: number) => format.number(value, 1)
  return (
    <Loaded query={chart}>
      {(data) => (
        <>
          <UsageCard
            childId={childId}
            title={t.trends.usage}
            points={usageOf(data, date, days)}
            average={data.avg_treatment_time}
          />
          <TrendCard
            childId={childId}
            title={t.trends.intensity}
            chart={LineChart}
            points={series(
              date,
              days,
              data.treatment_intensity_data.map(({ treatment_date, last_intensity }) => [
                treatment_date,
                last_intensity,
              ]),
            )}
            average={data.avg_treatment_intensity}
            formatValue={plain}
          />
          <TrendCard
            childId={childId}
            title={t.trends.movement}
            chart={BarChart}
            points={series(
              date,
              days,
              data.movement_data.map(({ treatment_date, movement }) => [treatment_date, movement]),
            )}
            average={data.avg_movement}
            formatValue={plain}
          />
        </>
      )}
    </Loaded>
  )
}
