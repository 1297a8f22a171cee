import type { Style } from './typesetting.ts'

/** Two colours besides ink and its greys; printed in black and white, neighbours still differ in tone or shape. */
export const INK = '#1a2530'
export const QUIET_COLOR = '#5b6873'
export const FAINT_COLOR = '#9aa4ad'
export const RULE_COLOR = '#c9d0d6'
export const BLUE = '#2a6487'
export const RED = '#b3402a'

/** Shades of intensity from low to high, which differ in tone when printed in black and white. */
export const INTENSITIES = ['#bcd6e6', '#8db8d2', '#5b93b5', '#2a6487', '#143a54'] as const

/** The baseline grid in points: every line of text is on a multiple of it. */
export const LINE_HEIGHT = 13

const style = (size: number, weight: Style['weight'] = 'regular', color = INK): Style => ({
  size,
  weight,
  color,
})

export const styles = {
  title: style(22, 'bold'),
  name: style(14, 'bold'),
  heading: style(13, 'bold'),
  subheading: style(9, 'bold'),
  figure: style(16, 'bold', BLUE),
  tile: style(8.5, 'bold'),
  body: style(9),
  strong: style(9, 'bold'),
  quiet: style(8, 'regular', QUIET_COLOR),
  label: style(7.5, 'regular', QUIET_COLOR),
  labelStrong: style(7.5, 'bold', QUIET_COLOR),
  cell: style(8),
  cellStrong: style(8, 'bold'),
  running: style(7.5, 'regular', QUIET_COLOR),
}
