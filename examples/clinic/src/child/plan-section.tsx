import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { companion } from '../companion/client'
import { childKey, plans } from '../companion/queries'
import { queryClient } from '../companion/query-client'
import { useWords } from '../i18n/language'
import { Part, Problem } from '../shell/states'
import { addDays } from '../time/dates'
import type { CalendarDate } from '../time/dates'

interface PlanSectionProps {
  clinicId: number
  childId: number
  today: CalendarDate
}

/** The plans of a child, and the form for another one. */
export function PlanSection({ clinicId, childId, today }: PlanSectionProps) {
  const { t, format } = useWords()
  const query = useQuery(plans(childId))
  return (
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">{t.plans.title}</h2>
      <Part query={query}>
        {({ plans: all, current }) => (
          <>
            {all.length === 0 ? (
              <p>{t.plans.none}</p>
            ) : (
              <table aria-labelledby="plan-title">
                <thead>
                  <tr>
                    <th scope="col">{t.plans.from}</th>
                    <th scope="col">{t.list.columns.plan}</th>
                    <th scope="col">{t.plans.bedtime}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.toReversed().map((plan) => (
                    <tr key={plan.plan_id}>
                      <th scope="row">
                        {format.date(plan.from)}
                        {plan.plan_id === current?.plan_id && <small>{t.plans.current}</small>}
                      </th>
                      <td>
                        {t.list.planOf(plan.nights_per_week, format.duration(plan.minutes))}
                        <small>{t.plans.setBy[plan.set_by]}</small>
                      </td>
                      <td>{plan.bedtime ?? t.none}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <PlanForm
              clinicId={clinicId}
              childId={childId}
              today={today}
              nights={current?.nights_per_week ?? 7}
              minutes={current?.minutes ?? 240}
              bedtime={current?.bedtime ?? ''}
            />
          </>
        )}
      </Part>
    </section>
  )
}

function PlanForm(props: {
  clinicId: number
  childId: number
  today: CalendarDate
  nights: number
  minutes: number
  bedtime: string
}) {
  const { t } = useWords()
  const { clinicId: clinic_id, childId: real_user_id, today } = props
  const [draft, setDraft] = useState({
    nights: String(props.nights),
    minutes: String(props.minutes),
    bedtime: props.bedtime,
    from: today,
  })
  const { nights, minutes, bedtime, from } = draft
  const { mutate, variables, isPending, isSuccess, error } = useMutation({
    mutationFn: (plan: typeof draft) =>
      companion.clinics.planNights({
        clinic_id,
        real_user_id,
        nights_per_week: Number(plan.nights),
        minutes: Number(plan.minutes),
        bedtime: plan.bedtime || null,
        from: plan.from,
      }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: childKey(real_user_id) }),
        queryClient.invalidateQueries({ queryKey: ['clinic', clinic_id, 'children'] }),
      ]),
  })
  return (
    <form
      className="plan-form no-print"
      onSubmit={(event) => {
        event.preventDefault()
        mutate(draft)
      }}
    >
      <h3>{t.plans.set}</h3>
      <label>
        {t.plans.nights}
        <input
          type="number"
          required
          min={0}
          max={7}
          value={nights}
          aria-describedby="nights-hint"
          onChange={({ target }) => setDraft({ ...draft, nights: target.value })}
        />
        <small id="nights-hint">{t.plans.nightsHint}</small>
      </label>
      <label>
        {t.plans.minutes}
        <input
          type="number"
          required
          min={1}
          max={1440}
          value={minutes}
          onChange={({ target }) => setDraft({ ...draft, minutes: target.value })}
        />
      </label>
      <label>
        {t.plans.bedtime}
        <input
          type="time"
          value={bedtime}
          aria-describedby="bedtime-hint"
          onChange={({ target }) => setDraft({ ...draft, bedtime: target.value })}
        />
        <small id="bedtime-hint">{t.plans.bedtimeHint}</small>
      </label>
      <label>
        {t.plans.from}
        <input
          type="date"
          required
          value={from}
          min={addDays(today, -366)}
          max={addDays(today, 366)}
          onChange={({ target }) => setDraft({ ...draft, from: target.value })}
        />
      </label>
      <button type="submit" disabled={isPending}>
        {t.plans.submit}
      </button>
      <p className="hint">{t.plans.told}</p>
      <p role="status">{isSuccess && variables === draft && t.saved}</p>
      {error && <Problem error={error} />}
    </form>
  )
}
