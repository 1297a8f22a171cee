import { useLanguage } from '../i18n/language'
import type { CalendarDate } from '../time/dates'
import { AskFirst } from '../ui/ask-first'
import { Button } from '../ui/button'
import { Card } from '../ui/card'
import { Failure } from '../ui/failure'
import { Words } from '../ui/words'
import { isPause, planOn, stepsOfPauseEnd } from './plan'
import type { Plan } from './plan'
import { PlanEntry } from './plan-entry'
import { useChangePlans } from './use-change-plans'

interface PlanListProps {
  childId: number
  today: CalendarDate
  plans: readonly Plan[]
  isWritable: boolean
}

/** The plan in force, those to come, and those before. A viewer sees them without buttons. */
export function PlanList({ childId, today, plans, isWritable }: PlanListProps) {
  const { t } = useLanguage()
  const change = useChangePlans(childId)
  const current = planOn(plans, today)
  const coming = plans.filter(({ from }) => from > today)
  const past = plans.filter((plan) => plan.from <= today && plan !== current).reverse()
  const removal = (plan: Plan) =>
    !isWritable ? null : isPause(plan) ? (
      <Button
        kind="quiet"
        label={t.plans.endPause}
        isBusy={change.isPending}
        onPress={() => change.mutate(stepsOfPauseEnd(plans, plan))}
      />
    ) : (
      <AskFirst
        label={t.plans.remove}
        question={t.plans.removeQuestion}
        isBusy={change.isPending}
        onConfirm={() => change.mutate({ set: [], remove: [plan.plan_id] })}
      />
    )
  return (
    <>
      <Card title={t.plans.now}>
        {current ? (
          <PlanEntry plan={current} plans={plans}>
            {removal(current)}
          </PlanEntry>
        ) : (
          <Words tone="muted">{t.plans.none}</Words>
        )}
        <Words kind="caption" tone="muted">
          {t.plans.nightHint}
        </Words>
        <Failure error={change.error} />
      </Card>
      {coming.length > 0 ? (
        <Card title={t.plans.coming}>
          {coming.map((plan) => (
            <PlanEntry key={plan.plan_id} plan={plan} plans={plans}>
              {removal(plan)}
            </PlanEntry>
          ))}
        </Card>
      ) : null}
      {past.length > 0 ? (
        <Card title={t.plans.past}>
          {past.map((plan) => (
            <PlanEntry key={plan.plan_id} plan={plan} plans={plans} />
          ))}
        </Card>
      ) : null}
    </>
  )
}
