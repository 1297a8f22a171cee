import { safe } from '@companion/sdk'
import type { AnalysisChart } from '@companion/sdk'
import { useQuery } from '@tanstack/react-query'
import { companion } from '../companion/client'
import { keys } from '../companion/queries'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { Answered } from '../ui/answered'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { EnvironmentTrend } from './environment-trend'
import { readingsOf } from './readings'

interface EnvironmentCardProps {
  childId: number
  days: Days
  date: CalendarDate
}

/** The air, light and noise around the bed, where a base station measures them. */
export function EnvironmentCard({ childId, days, date }: EnvironmentCardProps) {
  const { t } = useLanguage()
  const environment = useEnvironment(childId, days, date)
  return (
    <Card title={t.trends.sleep}>
      <Answered query={environment}>
        {(entries) => {
          const readings = readingsOf(entries ?? [])
          const latest = readings.at(-1)
          return latest ? (
            <EnvironmentTrend {...{ readings, latest, days, date }} />
          ) : (
            <Words tone="muted">{entries ? t.trends.noReadings : t.trends.noBasestation}</Words>
          )
        }}
      </Answered>
    </Card>
  )
}

/** Null when no base station is connected: that is no failure here. */
const useEnvironment = (real_user_id: number, days: Days, current_date: CalendarDate) =>
  useQuery({
    queryKey: [...keys.charts, 'environment', real_user_id, days, current_date],
    queryFn: async ({ signal }): Promise<AnalysisChart['sleep_env_data'] | null> => {
      const [chart, error] = await safe(
        companion.charts.analysis(
          { real_user_id, select_mode: days === 7 ? 0 : 1, current_date },
          { signal },
        ),
      )
      if (chart) return chart.sleep_env_data
      const detail = error?.data?.detail
      if (detail === 'Device not found' || detail === 'This device does not belong to the user') return null
      throw error
    },
  })
