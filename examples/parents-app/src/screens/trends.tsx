import { useState } from 'react'
import { WithChild } from '../account/with-child'
import { EnvironmentCard } from '../charts/environment-card'
import { lastDateOf, PeriodChoice } from '../charts/period-choice'
import type { Period } from '../charts/period-choice'
import { UsageTrends } from '../charts/usage-trends'
import { cacheKeys } from '../companion/cache-keys'
import { useRefresh } from '../companion/use-refresh'
import { SurveysCard } from '../surveys/surveys-card'
import { useToday } from '../time/use-today'
import { Columns } from '../ui/columns'
import { Page } from '../ui/page'

export function TrendsScreen() {
  const today = useToday()
  const [period, setPeriod] = useState<Period>({ days: 7, back: 0 })
  const { days } = period
  const date = lastDateOf(period, today)
  return (
    <Page hasColumns {...useRefresh(cacheKeys.charts, cacheKeys.surveys)}>
      <WithChild>
        {(child) => (
          <>
            <PeriodChoice period={period} today={today} onChange={setPeriod} />
            <Columns>
              <UsageTrends key={`${child.id}/${days}`} childId={child.id} days={days} date={date} />
              <>
                <EnvironmentCard child={child} days={days} date={date} />
                <SurveysCard child={child} />
              </>
            </Columns>
          </>
        )}
      </WithChild>
    </Page>
  )
}
