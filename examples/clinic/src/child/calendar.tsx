import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { day, calendarMarks } from '../companion/queries'
import { useWords } from '../i18n/language'
import { Part, Problem } from '../shell/states'
import { addMonths, weeksOf } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { medicationText } from './medication'

/** A month with the dates of use and of notes, and the note of the chosen date. */
export function Calendar({ childId, today }: { childId: number; today: CalendarDate }) {
  const { t, format } = useWords()
  const [month, setMonth] = useState(today.slice(0, 7))
  const [chosen, setChosen] = useState<CalendarDate>()
  const { data, error, isPending, refetch } = useQuery(calendarMarks(childId, month))
  const byDate = new Map(data?.map((mark) => [mark.date, mark]))
  const weeks = weeksOf(month)
  const label = (date: CalendarDate) => {
    const mark = byDate.get(date)
    const said = [mark?.is_devlog && t.calendar.used, mark?.is_event && t.calendar.note]
    return [format.dayAndMonth(date), ...said.filter(Boolean)].join(', ')
  }
  return (
    <section aria-labelledby="calendar-title">
      <h2 id="calendar-title">{t.calendar.title}</h2>
      <div className="month">
        <button
          type="button"
          className="no-print"
          aria-label={t.calendar.previous}
          onClick={() => setMonth(addMonths(month, -1))}
        >
          ‹
        </button>
        <h3 aria-live="polite">{format.month(month)}</h3>
        <button
          type="button"
          className="no-print"
          aria-label={t.calendar.next}
          disabled={month >= today.slice(0, 7)}
          onClick={() => setMonth(addMonths(month, 1))}
        >
          ›
        </button>
      </div>
      {error && <Problem error={error} isOld={data !== undefined} onRetry={() => void refetch()} />}
      <table className="calendar" aria-label={format.month(month)} aria-busy={isPending}>
        <thead>
          <tr>
            {weeksOf('2026-02')[0]?.map((date) => (
              <th key={date} scope="col">
                {date && format.weekday(date)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, index) => (
            <tr key={week.find(Boolean) ?? index}>
              {week.map((date, weekday) => (
                <td key={date ?? weekday}>
                  {date && (
                    <button
                      type="button"
                      aria-label={label(date)}
                      aria-pressed={date === chosen}
                      aria-current={date === today ? 'date' : undefined}
                      className={[
                        'day',
                        byDate.get(date)?.is_devlog ? 'used' : '',
                        byDate.get(date)?.is_event ? 'noted' : '',
                      ].join(' ')}
                      disabled={date > today}
                      onClick={() => setChosen(date)}
                    >
                      {Number(date.slice(8))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status">{isPending && t.loading}</p>
      {data && <p className="hint">{t.calendar.legend}</p>}
      <div aria-live="polite">
        {chosen === undefined ? (
          <p className="no-print">{t.calendar.choose}</p>
        ) : (
          <Note childId={childId} date={chosen} />
        )}
      </div>
    </section>
  )
}

function Note({ childId, date }: { childId: number; date: CalendarDate }) {
  const { t, format } = useWords()
  const query = useQuery(day(childId, date))
  return (
    <Part query={query}>
      {({ memo, event_data: { medication, hospital } }) =>
        memo === '' && medication.length === 0 && hospital.length === 0 ? (
          <p>{t.calendar.noNote(format.evening(date))}</p>
        ) : (
          <article className="note">
            <h3>{format.evening(date)}</h3>
            {memo !== '' && <p className="memo">{memo}</p>}
            {medication.length > 0 && (
              <p>
                {t.calendar.medication}: {medication.map(medicationText).join(', ')}
              </p>
            )}
            {hospital.length > 0 && (
              <p>
                {t.calendar.hospital}: {hospital.join(', ')}
              </p>
            )}
          </article>
        )
      }
    </Part>
  )
}
