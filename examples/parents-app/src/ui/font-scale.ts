import { useWindowDimensions } from 'react-native'
import type { StyleProp, TextStyle } from 'react-native'

/** The factor by which the user wants text enlarged, at most `most`. */
export const useFontScale = (most = Infinity): number => Math.min(useWindowDimensions().fontScale, most)

/** Phones enlarge text by themselves. */
export const enlargedTextStyle = (style: StyleProp<TextStyle>, _scale: number): StyleProp<TextStyle> => style
