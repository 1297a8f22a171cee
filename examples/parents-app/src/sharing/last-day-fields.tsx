import { useState } from 'react'
import { useLanguage } from '../i18n/language'
import { today } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { Choice } from '../ui/choice'
import { DateField } from '../ui/date-field'

/** The last day of an access, if it has one. `until` is undefined without an end. */
export function useLastDay() {
  const [ends, setEnds] = useState<'never' | 'on'>('never')
  const [date, setDate] = useState<CalendarDate>()
  const isMissing = ends === 'on' && (date === undefined || date < today())
  return {
    until: ends === 'on' && !isMissing ? date : undefined,
    isMissing,
    fields: { ends, setEnds, date, setDate, isMissing },
  }
}

interface LastDayFieldsProps {
  fields: ReturnType<typeof useLastDay>['fields']
  isChecked: boolean
}

/** Lets the parent choose how long an access lasts. */
export function LastDayFields({
  fields: { ends, setEnds, date, setDate, isMissing },
  isChecked,
}: LastDayFieldsProps) {
  const { t } = useLanguage()
  return (
    <>
      <Choice
        label={t.sharing.howLong}
        value={ends}
        onChange={setEnds}
        options={[
          ['never', t.sharing.noEnd],
          ['on', t.sharing.lastDay],
        ]}
      />
      {ends === 'on' ? (
        <DateField
          label={t.sharing.lastDay}
          value={date}
          onChange={setDate}
          earliest={today()}
          issue={isChecked && isMissing ? t.sharing.lastDayIssue : undefined}
        />
      ) : null}
    </>
  )
}
