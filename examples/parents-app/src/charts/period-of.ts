import type { Formats } from '../i18n/format'
import type { Point } from './series'

/** The first and the last date of a chart, in words. */
export const periodOf = (points: readonly Point[], format: Formats): string =>
  format.period(points[0]?.date ?? '', points.at(-1)?.date ?? '')
