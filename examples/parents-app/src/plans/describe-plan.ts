import { useLanguage } from '../i18n/language'
import { isPause } from './plan'
import type { Plan } from './plan'

/** A plan in one line. */
export function useDescribePlan() {
  const { t, format } = useLanguage()
  return (plan: Plan): string =>
    isPause(plan)
      ? t.plans.pause
      : [
          t.plans.goal(plan.nights_per_week, format.duration(60 * plan.minutes)),
          plan.bedtime ? t.plans.bedtimeAt(format.timeOfDay(plan.bedtime)) : '',
        ]
          .filter(Boolean)
          .join(', ')
}
