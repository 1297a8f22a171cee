import { useRecentChart } from '../companion/queries'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { BarChart } from './bar-chart'
import { LineChart } from './line-chart'
import { TrendCard } from './trend-card'
import { UsageCard, usageOf } from './usage-card'

interface UsageTrendsProps {
  childId: number
  days: Days
  date: CalendarDate
}

/** Charts of use, intensity and movement in a window, compared with the window before. */
export function UsageTrends({ childId, days, date }: UsageTrendsProps) {
  const { t, format } = useLanguage()
  const chart = useRecentChart(childId, days, date)
  const earlier = useRecentChart(childId, days, addDays(date, -days)).data
  // Without data, averages are 0.
  const before = earlier && usageOf(earlier).some(({ value }) => value !== null) ? earlier : undefined
  const plain = (value: number) => format.number(value, 1)
  return (
    <Loaded query={chart}>
      {(data) => (
        <>
          <UsageCard
            childId={childId}
            title={t.trends.usage}
            points={usageOf(data)}
            average={data.avg_treatment_time}
            averageBefore={before?.avg_treatment_time}
          />
          <TrendCard
            childId={childId}
            title={t.trends.intensity}
            topic="intensity"
            chart={LineChart}
            points={data.treatment_intensity_data.map(({ treatment_date, last_intensity }) => ({
              date: treatment_date,
              value: last_intensity,
            }))}
            average={data.avg_treatment_intensity}
            averageBefore={before?.avg_treatment_intensity}
            formatValue={plain}
            formatShort={plain}
          />
          <TrendCard
            childId={childId}
            title={t.trends.movement}
            topic="movement"
            chart={BarChart}
            points={data.movement_data.map(({ treatment_date, movement }) => ({
              date: treatment_date,
              value: movement,
            }))}
            average={data.avg_movement}
            averageBefore={before?.avg_movement}
            formatValue={plain}
            formatShort={plain}
          />
        </>
      )}
    </Loaded>
  )
}
