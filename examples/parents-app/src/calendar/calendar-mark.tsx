import { StyleSheet, View } from 'react-native'
import Svg, { Path } from 'react-native-svg'
import { usePalette } from '../theme/use-palette'

interface MarkProps {
  kind: 'treatment' | 'issue' | 'note'
  size?: number
}

/** A dot for a use, a triangle for one that lost contact, a square for a note: the shape tells as well as the colour. */
export function CalendarMark({ kind, size = kind === 'issue' ? 8 : 6 }: MarkProps) {
  const palette = usePalette()
  if (kind === 'issue')
    return (
      <Svg width={size} height={size} viewBox="0 0 8 8" aria-hidden>
        <Path d="M4 0.4L8 7.6H0Z" fill={palette.danger} />
      </Svg>
    )
  return (
    <View
      style={[
        styles.mark,
        { width: size, height: size },
        kind === 'treatment'
          ? { borderRadius: size / 2, backgroundColor: palette.accent }
          : { backgroundColor: palette.note },
      ]}
    />
  )
}

const styles = StyleSheet.create({ mark: { borderRadius: 1 } })
