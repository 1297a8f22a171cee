import { cacheKeys } from '../companion/cache-keys'
import { useChildren, usePlans } from '../companion/queries'
import { useRefresh } from '../companion/use-refresh'
import { useLanguage } from '../i18n/language'
import type { ScreenProps } from '../navigation/routes'
import { useChangePlans } from '../plans/use-change-plans'
import { PauseForm } from '../plans/pause-form'
import { goalBefore, isPause, planOn } from '../plans/plan'
import { PlanForm } from '../plans/plan-form'
import { PlanList } from '../plans/plan-list'
import { mayWrite } from '../sharing/rights'
import { useToday } from '../time/use-today'
import { Columns } from '../ui/columns'
import { Loaded } from '../ui/loaded'
import { Page } from '../ui/page'
import { Words } from '../ui/words'

/** What is planned for a child's nights. Owners and guardians change it, viewers read it. */
export function PlanScreen({ route }: ScreenProps<'Plan'>) {
  const { real_user_id } = route.params
  const { t } = useLanguage()
  const today = useToday()
  const child = useChildren().data?.find(({ id }) => id === real_user_id)
  const query = usePlans(real_user_id)
  // The form starts anew with what was saved, and still says that it was.
  const change = useChangePlans(real_user_id)
  const isWritable = child !== undefined && mayWrite(child)
  return (
    <Page hasHeader hasColumns {...useRefresh(cacheKeys.nights)}>
      <Loaded query={query}>
        {({ plans }) => {
          const current = planOn(plans, today)
          // A pause may have taken the place of the only plan, which begins anew after it.
          const goal = goalBefore(plans, today) ?? plans.find((plan) => !isPause(plan))
          const known = { childId: real_user_id, today, plans }
          return (
            <Columns>
              <PlanList {...known} isWritable={isWritable} />
              {isWritable ? (
                <>
                  <PlanForm key={goal?.set_at} today={today} plan={goal} change={change} />
                  {current && !isPause(current) ? <PauseForm {...known} /> : null}
                </>
              ) : (
                <Words tone="muted">{t.plans.viewer}</Words>
              )}
            </Columns>
          )
        }}
      </Loaded>
    </Page>
  )
}
