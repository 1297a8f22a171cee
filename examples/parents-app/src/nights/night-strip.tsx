import { StyleSheet, View } from 'react-native'
import Svg, { Path, Rect } from 'react-native-svg'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { noon } from '../time/dates'
import { useFontScale } from '../ui/font-scale'
import { Words } from '../ui/words'
import { describeNight } from './describe-night'
import type { Night } from './night'
import { nightTimeline } from './strip'
import type { Stretch } from './strip'

const HEIGHT = 56
/** The height of a use without intensity, which can still be seen. */
const LEAST = 0.18
const LARGEST = 1.3

/** The outline of a use in a picture of height 1. */
const outline = (use: readonly Stretch[]) =>
  `M${use[0]?.from ?? 0} 1${use.map(({ to, share }) => `V${(1 - LEAST) * (1 - share)}H${to}`).join('')}V1Z`

/** A night from evening to morning: the higher, the stronger; empty while the device was not on; marked where contact was lost. */
export function NightStrip({ night }: { night: Night }) {
  const { t, format } = useLanguage()
  const palette = usePalette()
  const scale = useFontScale(LARGEST)
  const { from, to, uses, losses, marks } = nightTimeline(night)
  const at = (minute: number) => `${((minute - from) / (to - from)) * 100}%` as const
  const hour = (minute: number) =>
    format.hour(new Date(noon(night.date).getTime() + minute * 60_000).toISOString())
  return (
    <View accessible role="img" accessibilityLabel={describeNight(night, t, format)}>
      <View style={[styles.strip, { backgroundColor: palette.sunken }]}>
        <Svg width="100%" height={HEIGHT} viewBox={`${from} 0 ${to - from} 1`} preserveAspectRatio="none">
          {uses.map((use) => (
            <Path key={use[0]?.from} d={outline(use)} fill={palette.accent} />
          ))}
        </Svg>
        {losses.map((minute) => (
          <View key={minute} style={[styles.loss, { left: at(minute) }]}>
            <Svg width={14} height={HEIGHT} viewBox={`0 0 14 ${HEIGHT}`}>
              <Path d="M7 0L14 12H0Z" fill={palette.danger} />
              <Rect x={6} y={10} width={2} height={HEIGHT} fill={palette.danger} />
            </Svg>
          </View>
        ))}
      </View>
      <View style={[styles.hours, { height: 18 * scale }]}>
        {marks.map((minute) => {
          const end = minute - from < 60 ? styles.first : to - minute < 60 ? styles.last : undefined
          // Enlarged, only two have room beside each other on a small phone.
          if (scale > 1 && minute !== marks[0] && minute !== marks.at(-1)) return null
          return (
            <Words
              key={minute}
              kind="caption"
              tone="muted"
              numberOfLines={1}
              maxFontSizeMultiplier={LARGEST}
              style={[styles.hour, end ?? { left: at(minute), marginLeft: -32 }]}
            >
              {hour(minute)}
            </Words>
          )
        })}
      </View>
    </View>
  )
}

const styles = StyleSheet.create({
  strip: { height: HEIGHT, borderRadius: 8, overflow: 'hidden' },
  loss: { position: 'absolute', top: 0, marginLeft: -7 },
  hours: { marginTop: 4 },
  hour: { position: 'absolute', width: 64, textAlign: 'center', fontSize: 12 },
  first: { left: 0, width: 90, textAlign: 'left' },
  last: { right: 0, width: 90, textAlign: 'right' },
})
