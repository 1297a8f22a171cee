import { useState } from 'react'
import { WithChild } from '../account/with-child'
import { EnvironmentCard } from '../charts/environment-card'
import { lastDateOf, PeriodChoice } from '../charts/period-choice'
import type { Period } from '../charts/period-choice'
import { UsageTrends } from '../charts/usage-trends'
import { keys } from '../companion/keys'
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
    <Page hasColumns {...useRefresh(keys.charts, keys.surveys)}>
      <WithChild>
        {({ id }) => (
          <>
            <PeriodChoice period={period} today={today} onChange={setPeriod} />
            <Columns>
              <UsageTrends key={`${id}/${days}`} childId={id} days={days} date={date} />
              <>
                <EnvironmentCard childId={id} days={days} date={date} />
                <SurveysCard childId={id} />
              </>
            </Columns>
          </>
        )}
      </WithChild>
    </Page>
  )
}
