/** Colours by purpose. In both palettes, text has a contrast of at least 4.5 and the border of a control at least 3. */
export interface Palette {
  ground: string
  surface: string
  sunken: string
  /** The chosen option, on `sunken`. */
  raised: string
  line: string
  /** The border of a control. */
  edge: string
  ink: string
  muted: string
  accent: string
  onAccent: string
  soft: string
  note: string
  thumb: string
  danger: string
  dangerSoft: string
}

export const day: Palette = {
  ground: '#f4f6f8',
  surface: '#ffffff',
  sunken: '#eceff3',
  raised: '#ffffff',
  line: '#dbe1e8',
  edge: '#7f8b97',
  ink: '#17212b',
  muted: '#566573',
  accent: '#17696a',
  onAccent: '#ffffff',
  soft: '#dcecec',
  note: '#a65d12',
  thumb: '#ffffff',
  danger: '#b3302c',
  dangerSoft: '#fae9e7',
}

/** Dim and warm enough to be read beside the bed. */
export const night: Palette = {
  ground: '#0e1318',
  surface: '#171e25',
  sunken: '#202932',
  raised: '#34414d',
  line: '#2b3641',
  edge: '#697683',
  ink: '#dde4ea',
  muted: '#93a1ae',
  accent: '#71bdb7',
  onAccent: '#0c1a1a',
  soft: '#1d3334',
  note: '#dda25f',
  thumb: '#dfe6ec',
  danger: '#ec8f86',
  dangerSoft: '#352220',
}
