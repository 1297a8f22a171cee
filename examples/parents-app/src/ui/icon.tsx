import Svg, { Path } from 'react-native-svg'

const paths = {
  today: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  trends: 'M4 20V11M10 20V5M16 20v-7M22 20H2',
  calendar: 'M4 6.5h16v14H4zM4 11h16M8.5 3.5v5M15.5 3.5v5',
  report: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  close: 'M6 6l12 12M18 6L6 18',
  add: 'M12 5v14M5 12h14',
  note: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  info: 'M12 11v5.5M12 7.5h.01M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18Z',
  offline: 'M3 3l18 18M5 10a11 11 0 0 1 4-2.4M19 10a11 11 0 0 0-5.5-2.8M8.5 14a5 5 0 0 1 4-1.4M12 18.5h.01',
}

export type IconName = keyof typeof paths

/** A decorative icon. The text beside it, or the label of its control, says what it means. */
export const Icon = ({ name, color, size = 24 }: { name: IconName; color: string; size?: number }) => (
  <Svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden>
    <Path d={paths[name]} stroke={color} strokeWidth={1.8} strokeLinecap="round" strokeLinejoin="round" />
  </Svg>
)
