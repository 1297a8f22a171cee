import {
  Bar,
  CartesianGrid,
  Cell,
  ComposedChart,
  Line,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { useWords } from '../i18n/language'
import type { Night } from './nights'

const fillOf = ({ goal, isReached }: Night) =>
  goal === null ? 'var(--bar-plain)' : isReached ? 'var(--bar-reached)' : 'var(--bar-below)'

/** A night without a record has no figure: nobody knows whether the device was worn. */
const minutesOf = ({ start, minutes }: Night) => (start === null ? null : minutes)

/** Minutes of each night against the goal. The figures stand in the table below it too. */
export default function NightChart({ nights }: { nights: Night[] }) {
  const { t, format } = useWords()
  const hasGoal = nights.some(({ goal }) => goal !== null)
  const isGoalUnknown = nights.some(({ goal }) => goal === null)
  return (
    <figure>
      <div className="chart" role="img" aria-label={t.nights.chart}>
        <ResponsiveContainer width="100%" height={240}>
          <ComposedChart
            data={nights}
            accessibilityLayer={false}
            margin={{ left: 0, right: 8, top: 8, bottom: 0 }}
          >
            <CartesianGrid vertical={false} stroke="var(--line)" strokeOpacity={0.4} />
            <XAxis
              dataKey="date"
              tickFormatter={format.dayAndMonth}
              stroke="var(--soft)"
              fontSize={12}
              minTickGap={24}
              tickLine={false}
            />
            <YAxis stroke="var(--soft)" fontSize={12} width={44} tickLine={false} allowDecimals={false} />
            <Tooltip
              labelFormatter={(date) => (typeof date === 'string' ? format.evening(date) : '')}
              formatter={(value, name) => [typeof value === 'number' ? format.duration(value) : '', name]}
              cursor={{ fill: 'var(--line)', fillOpacity: 0.25 }}
              contentStyle={{ background: 'var(--card)', border: '1px solid var(--line)', borderRadius: 6 }}
              labelStyle={{ color: 'var(--ink)' }}
              itemStyle={{ color: 'var(--ink)' }}
              isAnimationActive={false}
            />
            <Bar dataKey={minutesOf} name={t.nights.minutes} isAnimationActive={false}>
              {nights.map((night) => (
                <Cell key={night.date} fill={fillOf(night)} />
              ))}
            </Bar>
            {hasGoal && (
              <Line
                dataKey="goal"
                name={t.nights.goal}
                type="step"
                stroke="var(--ink)"
                strokeDasharray="5 4"
                strokeWidth={2}
                dot={false}
                activeDot={false}
                isAnimationActive={false}
              />
            )}
          </ComposedChart>
        </ResponsiveContainer>
      </div>
      <figcaption className="keys">
        {hasGoal && (
          <>
            <span className="key reached">{t.nights.reached}</span>
            <span className="key below">{t.nights.below}</span>
            <span className="key goal">{t.nights.goal}</span>
          </>
        )}
        {isGoalUnknown && <span className="key plain">{t.nights.noPlan}</span>}
      </figcaption>
    </figure>
  )
}
