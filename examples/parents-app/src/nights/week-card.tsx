import type { ListedChild } from '@companion/sdk'
import { useNavigation } from '@react-navigation/native'
import { StyleSheet, View } from 'react-native'
import { useInsight, usePlans } from '../companion/queries'
import { useLanguage } from '../i18n/language'
import { useDescribePlan } from '../plans/describe-plan'
import { isPause, planOn } from '../plans/plan'
import { mayWrite } from '../sharing/rights'
import { usePalette } from '../theme/use-palette'
import type { CalendarDate } from '../time/dates'
import { Card } from '../ui/card'
import { Figure } from '../ui/figure'
import { Figures } from '../ui/figures'
import { LinkRow } from '../ui/link-row'
import { Words } from '../ui/words'
import type { Week } from './insight'

/** How the nights of this week go, beside what is planned, and the way to the plan. */
export function WeekCard({ child, date }: { child: ListedChild; date: CalendarDate }) {
  const { t, format } = useLanguage()
  const navigation = useNavigation()
  const describe = useDescribePlan()
  const insight = useInsight(child.id, date).data
  const plans = usePlans(child.id).data?.plans
  if (!insight) return null
  const { week, before, weeks_in_a_row: row } = insight
  const plan = plans && planOn(plans, date)
  const isThisWeek = week.first <= date && date <= week.last
  const goal = plan && !isPause(plan) ? t.week.goal(format.duration(60 * plan.minutes)) : undefined
  const dates = format.period(week.first, week.last)
  const without = mayWrite(child) ? t.plans.setHint : t.plans.none
  return (
    <Card title={isThisWeek ? t.week.title : dates} aside={isThisWeek ? dates : undefined}>
      <View style={styles.head}>
        <Words kind="title" role="none">
          {said(week)}
        </Words>
        {week.planned ? <Dots planned={week.planned} reached={week.reached} /> : null}
      </View>
      {week.planned && week.reached >= week.planned ? (
        <Words kind="label" tone="accent">
          {t.week.kept}
        </Words>
      ) : null}
      {week.planned === 0 ? <Words tone="muted">{t.week.pausedHint}</Words> : null}
      {week.planned && goal ? <Words tone="muted">{goal}</Words> : null}
      {week.used > 0 || row > 0 ? (
        <Figures>
          {week.planned === null ? null : <Figure label={t.week.used} value={t.week.nights(week.used)} />}
          {week.median_minutes === null ? null : (
            <Figure label={t.week.median} value={format.duration(60 * week.median_minutes)} />
          )}
          {row > 0 ? <Figure label={t.week.row} value={t.week.weeks(row)} /> : null}
        </Figures>
      ) : null}
      <Words kind="caption" tone="muted">
        {t.week.before(said(before))}
      </Words>
      {plans ? (
        <LinkRow
          label={t.plans.title}
          hint={plan ? describe(plan) : without}
          onPress={() => navigation.navigate('Plan', { real_user_id: child.id })}
        />
      ) : null}
    </Card>
  )

  function said({ planned, reached, used }: Week): string {
    if (planned === 0) return t.week.paused
    return planned === null ? t.week.usedNights(used) : t.week.of(reached, planned)
  }
}

/** The nights that are planned, of which those that reach the goal are filled. The text beside them says the same. */
function Dots({ planned, reached }: { planned: number; reached: number }) {
  const palette = usePalette()
  return (
    <View style={styles.dots} aria-hidden>
      {Array.from({ length: planned }, (_, index) => (
        <View
          key={index}
          style={[
            styles.dot,
            { borderColor: palette.accent },
            index < reached ? { backgroundColor: palette.accent } : null,
          ]}
        />
      ))}
    </View>
  )
}

const styles = StyleSheet.create({
  head: { flexDirection: 'row', flexWrap: 'wrap', alignItems: 'center', columnGap: 14, rowGap: 8 },
  dots: { flexDirection: 'row', gap: 6 },
  dot: { width: 14, height: 14, borderRadius: 7, borderWidth: 2 },
})
