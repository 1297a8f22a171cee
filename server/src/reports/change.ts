import type { AdherenceFigures } from './adherence-figures.ts'

/** How a figure has changed, and whether that is good for the child's treatment. */
export interface Change {
  arrow: '↑' | '↓' | '→'
  verdict: 'better' | 'worse' | 'same'
}

/** Compares two figures as they are printed, so that no arrow contradicts the numbers beside it. */
export function changeOf(from: number, to: number, better: 'more' | 'fewer'): Change {
  if (from === to) return { arrow: '→', verdict: 'same' }
  const isMore = to > from
  return { arrow: isMore ? '↑' : '↓', verdict: isMore === (better === 'more') ? 'better' : 'worse' }
}

/** Below this share of the nights, a period says too little to be called better or worse. */
const LEAST_SHARE = 0.8

/** Whether enough nights of both periods, of `days` dates each, count for a judgement. */
export const areComparable = (
  one: Pick<AdherenceFigures, 'nightsCounted'>,
  other: Pick<AdherenceFigures, 'nightsCounted'>,
  days: number,
): boolean => Math.min(one.nightsCounted, other.nightsCounted) >= LEAST_SHARE * days
