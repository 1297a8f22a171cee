import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { DateField } from '../ui/date-field'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'
import { stepsOfPause } from './plan'
import type { Plan } from './plan'
import { useChangePlans } from './use-change-plans'

/** The plan goes on a day after the pause, which may be 366 days from now. */
const MOST_DAYS = 365

interface PauseFormProps {
  childId: number
  today: CalendarDate
  plans: readonly Plan[]
}

/** Pauses the plan of a child for a holiday, after which it goes on. */
export function PauseForm({ childId, today, plans }: PauseFormProps) {
  const { t } = useLanguage()
  const [first, setFirst] = useState<CalendarDate | undefined>(today)
  const [last, setLast] = useState<CalendarDate | undefined>(addDays(today, 6))
  const [isChecked, setChecked] = useState(false)
  const change = useChangePlans(childId)
  const latest = addDays(today, MOST_DAYS)
  const isFirst = first !== undefined && first >= today && first <= latest
  const isLast = last !== undefined && last <= latest && (first === undefined || last >= first)
  const submit = () => {
    setChecked(true)
    if (isFirst && isLast) change.mutate(stepsOfPause(plans, first, last))
  }
  return (
    <Card title={t.plans.holiday}>
      <Words tone="muted">{t.plans.holidayHint}</Words>
      <DateField
        label={t.plans.firstEvening}
        value={first}
        onChange={setFirst}
        earliest={today}
        latest={latest}
        issue={isChecked && !isFirst ? t.plans.fromIssue : undefined}
      />
      <DateField
        label={t.plans.lastEvening}
        value={last}
        onChange={setLast}
        earliest={first ?? today}
        latest={latest}
        issue={isChecked && !isLast ? t.plans.lastIssue : undefined}
      />
      <Failure error={change.error} />
      <Button kind="quiet" label={t.plans.startPause} onPress={submit} isBusy={change.isPending} />
    </Card>
  )
}
