import { useRecentChart } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { UsageCard, usageOf } from './usage-card'

/** The last seven days at a glance, once there is something to see. */
export function RecentUse({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t } = useLanguage()
  const { data } = useRecentChart(childId, 7, date)
  const points = data ? usageOf(data) : []
  return data && points.some(({ value }) => value !== null) ? (
    <UsageCard
      key={childId}
      childId={childId}
      title={t.trends.usage}
      points={points}
      average={data.avg_treatment_time}
    />
  ) : null
}
