import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Choice } from '../ui/choice'
import { DateField } from '../ui/date-field'
import { Failure } from '../ui/failure'
import { Field } from '../ui/field'
import { Notice } from '../ui/notice'
import { readBedtime, readHours, writeHours } from './plan'
import type { Plan } from './plan'
import type { useChangePlans } from './use-change-plans'

/** How far from today the service takes the beginning of a plan. */
const MOST_DAYS = 366
const USUAL = { nights_per_week: 5, minutes: 420, bedtime: null }

interface PlanFormProps {
  today: CalendarDate
  /** What the form begins with. */
  plan: Plan | undefined
  change: ReturnType<typeof useChangePlans>
}

/** Plans the nights of a child from an evening on. */
export function PlanForm({ today, plan, change }: PlanFormProps) {
  const { t } = useLanguage()
  const begun = plan ?? USUAL
  const [nights, setNights] = useState(begun.nights_per_week)
  const [hours, setHours] = useState(writeHours(begun.minutes))
  const [bedtime, setBedtime] = useState(begun.bedtime ?? '')
  const [from, setFrom] = useState<CalendarDate | undefined>(today)
  const [isChecked, setChecked] = useState(false)
  const minutes = readHours(hours)
  const time = readBedtime(bedtime)
  const [earliest, latest] = [addDays(today, -MOST_DAYS), addDays(today, MOST_DAYS)]
  const isDate = from !== undefined && from >= earliest && from <= latest
  const submit = () => {
    setChecked(true)
    if (minutes !== undefined && time !== undefined && isDate)
      change.mutate({ set: [{ nights_per_week: nights, minutes, bedtime: time, from }], remove: [] })
  }
  return (
    <Card title={plan ? t.plans.replace : t.plans.set}>
      <Choice
        label={t.plans.nights}
        value={nights}
        onChange={setNights}
        options={[1, 2, 3, 4, 5, 6, 7].map((each) => [each, String(each)] as const)}
      />
      <Field
        label={t.plans.hours}
        value={hours}
        onChangeText={setHours}
        hint={t.plans.hoursHint}
        issue={isChecked && minutes === undefined ? t.plans.hoursIssue : undefined}
      />
      <Field
        label={t.plans.bedtime}
        value={bedtime}
        onChangeText={setBedtime}
        hint={t.plans.bedtimeHint}
        issue={isChecked && time === undefined ? t.plans.bedtimeIssue : undefined}
      />
      <DateField
        label={t.plans.from}
        value={from}
        onChange={setFrom}
        earliest={earliest}
        latest={latest}
        issue={isChecked && !isDate ? t.plans.fromIssue : undefined}
      />
      <Failure error={change.error} />
      {change.isSuccess ? <Notice text={t.saved} /> : null}
      <Button label={t.plans.save} onPress={submit} isBusy={change.isPending} />
    </Card>
  )
}
