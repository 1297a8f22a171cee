import type { Outputs } from '@companion/sdk'
import { useWords } from '../i18n/language'

/** The week that goes on, and a night that did not arrive. */
export function Week({ insight }: { insight: Outputs['nights']['insight'] }) {
  const { t } = useWords()
  const { week, weeks_in_a_row, missing } = insight
  return (
    <section aria-labelledby="week-title">
      <h2 id="week-title">{t.child.week}</h2>
      <p>
        {t.child.weekOf(week.used, week.planned)}. {t.child.reached(week.reached)}.
        {weeks_in_a_row > 0 && ` ${t.child.weeksInARow(weeks_in_a_row)}.`}
      </p>
      {missing && <p className="notice">{t.child.missing[missing.reason]}</p>}
    </section>
  )
}
