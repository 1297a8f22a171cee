import { useState } from 'react'
import type { CalendarDate } from '../time/dates'
import type { Point } from './series'

/** The chosen date of a chart. It stays the same date when midnight moves the window. */
export function useChosenDate(points: readonly Point[]) {
  const [date, choose] = useState<CalendarDate>()
  const index = points.findIndex((point) => point.date === date)
  return {
    point: points[index],
    chosen: index < 0 ? undefined : index,
    onChoose: (to: number | undefined) => choose(to === undefined ? undefined : points[to]?.date),
  }
}
