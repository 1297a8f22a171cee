import { useState } from 'react'
import { WithChild } from '../account/with-child'
import { EnvironmentCard } from '../charts/environment-card'
import { UsageTrends } from '../charts/usage-trends'
import type { Days } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useToday } from '../time/use-today'
import { Choice } from '../ui/choice'
import { Page } from '../ui/page'
import { useRefresh } from '../companion/use-refresh'
import { keys } from '../companion/keys'

export function TrendsScreen() {
  const { t } = useLanguage()
  const date = useToday()
  const [days, setDays] = useState<Days>(7)
  return (
    <Page {...useRefresh(keys.charts)}>
      <WithChild>
        {({ id }) => (
          <>
            <Choice
              label={t.report.period}
              isLabelShown={false}
              value={days}
              onChange={setDays}
              options={[
                [7, t.trends.week],
                [30, t.trends.month],
              ]}
            />
            <UsageTrends key={`${id}/${days}`} childId={id} days={days} date={date} />
            <EnvironmentCard childId={id} days={days} date={date} />
          </>
        )}
      </WithChild>
    </Page>
  )
}
