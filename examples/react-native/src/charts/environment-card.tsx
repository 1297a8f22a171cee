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
import { Figure } from '../ui/figure'
import { Figures } from '../ui/figures'
import { Words } from '../ui/words'
import { latestReading } from './latest-reading'

interface EnvironmentCardProps {
  childId: number
  days: Days
  date: CalendarDate
}

/** The air, light and noise around the bed, where a base station measures them. */
export function EnvironmentCard({ childId, days, date }: EnvironmentCardProps) {
  const { t, format } = useLanguage()
  const environment = useEnvironment(childId, days, date)
  const reading = environment.data ? latestReading(environment.data) : undefined
  return (
    <Card title={t.trends.sleep} aside={reading && format.dayAndMonth(reading.date)}>
      <Answered query={environment}>
        {(entries) =>
          reading ? (
            <>
              <Figures>
                <Figure label={t.trends.temperature} value={`${format.number(reading.temperature, 1)} °C`} />
                <Figure label={t.trends.humidity} value={`${format.number(reading.humidity, 1)} %`} />
              </Figures>
              <Figures>
                <Figure label={t.trends.brightness} value={`${format.number(reading.brightness)} lx`} />
                <Figure label={t.trends.noise} value={`${format.number(reading.noise)} dB`} />
              </Figures>
            </>
          ) : (
            <Words tone="muted">{entries ? t.trends.noReadings : t.trends.noBasestation}</Words>
          )
        }
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
