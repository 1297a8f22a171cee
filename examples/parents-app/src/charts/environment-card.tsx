import type { ListedChild } from '@companion/sdk'
import { useEnvironment } from '../companion/queries'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { memberRole } from '../sharing/rights'
import type { CalendarDate } from '../time/dates'
import { Loaded } from '../ui/loaded'
import { Card } from '../ui/card'
import { Words } from '../ui/words'
import { EnvironmentTrend } from './environment-trend'
import { entriesWithReadings } from './readings'

interface EnvironmentCardProps {
  child: ListedChild
  days: Days
  date: CalendarDate
}

/** Air, light and noise around the bed, as measured by a base station. */
export function EnvironmentCard({ child, days, date }: EnvironmentCardProps) {
  const { t } = useLanguage()
  const environment = useEnvironment(child.id, days, date)
  return (
    <Card title={t.trends.sleep}>
      <Loaded query={environment}>
        {(entries) => {
          const readings = entriesWithReadings(entries ?? [])
          const latest = readings.at(-1)
          return latest ? (
            <EnvironmentTrend {...{ readings, latest, days, date }} />
          ) : (
            <Words tone="muted">
              {entries || memberRole(child) ? t.trends.noReadings : t.trends.noBasestation}
            </Words>
          )
        }}
      </Loaded>
    </Card>
  )
}
