import { Pressable, StyleSheet, View } from 'react-native'
import Svg, { Circle, Path } from 'react-native-svg'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { onSpace } from '../ui/on-space'
import { moods } from './mood'
import type { Mood } from './mood'

const mouths: Record<Mood, string> = {
  great: 'M8 14H16C15.6 16.8 14 18 12 18S8.4 16.8 8 14Z',
  good: 'M8 14.5C9 16.5 10.4 17.3 12 17.3S15 16.5 16 14.5',
  fair: 'M8.5 15.8H15.5',
  low: 'M8.5 17C9.4 15.6 10.6 15 12 15S14.6 15.6 15.5 17',
  bad: 'M8 17.4C9 15.2 10.4 14.4 12 14.4S15 15.2 16 17.4M7.6 12.2V14.4',
}

/** A face, drawn alike on every phone. The text beside it, or the label of its control, says what it means. */
export const Face = ({ mood, color, size = 24 }: { mood: Mood; color: string; size?: number }) => (
  <Svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden>
    <Circle cx={12} cy={12} r={10} stroke={color} strokeWidth={1.6} />
    <Circle cx={8.7} cy={9.6} r={1.2} fill={color} />
    <Circle cx={15.3} cy={9.6} r={1.2} fill={color} />
    <Path
      d={mouths[mood]}
      stroke={color}
      strokeWidth={1.6}
      strokeLinecap="round"
      fill={mood === 'great' ? color : 'none'}
    />
  </Svg>
)

interface MoodChoiceProps {
  mood: Mood | undefined
  onChange: (mood: Mood | undefined) => void
  isDisabled?: boolean
}

/** Five faces. A tap on the chosen one takes the mood away. */
export function MoodChoice({ mood, onChange, isDisabled = false }: MoodChoiceProps) {
  const { t } = useLanguage()
  const palette = usePalette()
  return (
    <View accessibilityRole="radiogroup" accessibilityLabel={t.mood.title} style={styles.faces}>
      {moods.map((one) => {
        const isChosen = one === mood
        const choose = () => onChange(isChosen ? undefined : one)
        return (
          <Pressable
            key={one}
            accessibilityRole="radio"
            accessibilityLabel={t.mood.names[one]}
            aria-checked={isChosen}
            disabled={isDisabled}
            onPress={choose}
            {...onSpace(choose)}
            style={[
              styles.face,
              isChosen ? { backgroundColor: palette.soft, borderColor: palette.accent } : null,
            ]}
          >
            <Face mood={one} color={isChosen ? palette.accent : palette.muted} size={32} />
          </Pressable>
        )
      })}
    </View>
  )
}

const styles = StyleSheet.create({
  faces: { flexDirection: 'row', justifyContent: 'space-between' },
  face: {
    minWidth: 46,
    minHeight: 46,
    borderRadius: 23,
    borderWidth: 1.5,
    borderColor: 'transparent',
    alignItems: 'center',
    justifyContent: 'center',
  },
})
