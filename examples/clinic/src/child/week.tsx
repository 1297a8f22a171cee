import { useQuery } from '@tanstack/react-query'
import { insight } from '../companion/queries'
import { useWords } from '../i18n/language'
import { Part } from '../shell/states'

/** The week that goes on, and a night that did not arrive. */
export function Week({ childId }: { childId: number }) {
  const { t } = useWords()
  const query = useQuery(insight(childId))
  return (
    <section aria-labelledby="week-title">
      <h2 id="week-title">{t.child.week}</h2>
      <Part query={query}>
        {({ week, weeks_in_a_row, missing }) => (
          <>
            <p>
              {t.child.weekOf(week.used, week.planned)}. {t.child.reached(week.reached)}.
              {weeks_in_a_row > 0 && ` ${t.child.weeksInARow(weeks_in_a_row)}.`}
            </p>
            {missing && <p className="notice">{t.child.missing[missing.reason]}</p>}
          </>
        )}
      </Part>
    </section>
  )
}
