import type { ReactNode } from 'react'
import { View } from 'react-native'
import { useLanguage } from '../i18n/language'
import { Words } from '../ui/words'
import { useDescribePlan } from './describe-plan'
import { isPause, lastOfPause } from './plan'
import type { Plan } from './plan'

interface PlanEntryProps {
  plan: Plan
  plans: readonly Plan[]
  children?: ReactNode
}

/** A plan, since when it is in force, and who has set it. */
export function PlanEntry({ plan, plans, children }: PlanEntryProps) {
  const { t, format } = useLanguage()
  const describe = useDescribePlan()
  const last = isPause(plan) ? lastOfPause(plans, plan) : undefined
  return (
    <>
      <View accessible>
        <Words>{describe(plan)}</Words>
        <Words kind="caption" tone="muted">
          {[
            t.plans.since(format.date(plan.from)),
            last ? t.plans.until(format.date(last)) : '',
            t.plans.setBy[plan.set_by],
          ]
            .filter(Boolean)
            .join(' · ')}
        </Words>
      </View>
      {children}
    </>
  )
}
