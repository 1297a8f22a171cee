import { useQuery } from '@tanstack/react-query'
import { CatchBoundary } from '@tanstack/react-router'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { NIGHTS, plans, uses } from '../companion/queries'
import { useWords } from '../i18n/language'
import { Part, Problem } from '../shell/states'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'
import { nightsOf } from './nights'
import type { Night } from './nights'

// The library of charts is larger than the rest of the application, and the list needs none of it.
const NightChart = lazy(() => import('./night-chart'))

const LAST = 14

/** The nights before `today` as a chart and as figures. */
export function Nights({ childId, today }: { childId: number; today: CalendarDate }) {
  const { t } = useWords()
  const found = useQuery(uses(childId, today))
  const planned = useQuery(plans(childId))
  return (
    <section aria-labelledby="nights-title">
      <h2 id="nights-title">{t.nights.title}</h2>
      <Part query={found}>
        {(all) => (
          <Part query={planned}>
            {({ plans: ascending }) => {
              const nights = nightsOf(all, ascending, { last: addDays(today, -1), count: NIGHTS })
              if (nights.every(({ start }) => start === null)) return <p>{t.nights.none}</p>
              return (
                <>
                  <CatchBoundary getResetKey={() => childId} errorComponent={ChartBroken}>
                    <Suspense fallback={<p role="status">{t.loading}</p>}>
                      <NightChart nights={nights} />
                    </Suspense>
                  </CatchBoundary>
                  <h3>{t.nights.last}</h3>
                  <NightTable label={t.nights.last} nights={nights.slice(-LAST).toReversed()} />
                  <details>
                    <summary>{t.nights.earlier}</summary>
                    <NightTable label={t.nights.earlier} nights={nights.slice(0, -LAST).toReversed()} />
                  </details>
                </>
              )
            }}
          </Part>
        )}
      </Part>
    </section>
  )
}

/** In place of the chart, where it could not be loaded. */
function ChartBroken({ error }: ErrorComponentProps) {
  // React keeps the failure of a lazy component, so that only a new page asks for it again.
  return <Problem error={error} onRetry={() => location.reload()} />
}

function NightTable({ label, nights }: { label: string; nights: readonly Night[] }) {
  const { t, format } = useWords()
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t.nights.evening}</th>
          <th scope="col">{t.nights.start}</th>
          <th scope="col">{t.nights.duration}</th>
          <th scope="col">{t.nights.goal}</th>
          <th scope="col">{t.nights.losses}</th>
        </tr>
      </thead>
      <tbody>
        {nights.map(({ date, start, minutes, goal, isReached, losses }) => (
          <tr key={date}>
            <th scope="row">{format.evening(date)}</th>
            <td>{start === null ? t.none : format.clock(start)}</td>
            <td>{start === null ? t.nights.nothing : format.duration(minutes)}</td>
            <td>{goal === null ? t.nights.usualGoal : `${format.duration(goal)}${isReached ? ' ✓' : ''}`}</td>
            <td>{start === null ? t.none : losses}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
