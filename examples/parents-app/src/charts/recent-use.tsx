import { useRecentChart } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { UsageCard, usageOf } from './usage-card'

/** The last seven days at a glance, once there is something to see. */
export function RecentUse({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t } = useLanguage()
  const { data } = useRecentChart(childId, 7, date)
  return data && data.treatment_time_data.length > 0 ? (
    <UsageCard
      key={childId}
      childId={childId}
      title={t.trends.usage}
      points={usageOf(data, date, 7)}
      average={data.avg_treatment_time}
    />
  ) : null
}
